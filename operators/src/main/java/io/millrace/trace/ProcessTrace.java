package io.millrace.trace;

import java.util.List;

/**
 * The part of one process in a recording.
 *
 * @param process the process's name for people
 * @param tracks the tracks of its threads
 */
record ProcessTrace(String process, List<Track> tracks) {
    ProcessTrace {
        tracks = List.copyOf(tracks);
    }

    /** Returns the stride of the windows that were kept on all threads: one of this many windows was kept. */
    int stride() {
        return tracks.stream().mapToInt(Track::stride).max().orElse(1);
    }
}
