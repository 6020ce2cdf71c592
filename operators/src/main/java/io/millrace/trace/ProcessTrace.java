package io.millrace.trace;

import java.util.List;

/**
 * What one process did.
 *
 * @param process what it is called by people
 * @param tracks of its threads
 */
record ProcessTrace(String process, List<Track> tracks) {
    ProcessTrace {
        tracks = List.copyOf(tracks);
    }

    /** Of each of how many windows one is kept, on all threads. */
    int stride() {
        return tracks.stream().mapToInt(Track::stride).max().orElse(1);
    }
}
