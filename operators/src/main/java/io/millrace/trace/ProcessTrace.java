package io.millrace.trace;

import java.util.List;

/**
 * The part of one process in a recording.
 *
 * @param process the name of the process for display
 * @param tracks the tracks of its threads
 */
record ProcessTrace(String process, List<Track> tracks) {
    ProcessTrace {
        tracks = List.copyOf(tracks);
    }

    /** Returns the stride of the kept windows. With stride n, all threads kept one of n windows. */
    int stride() {
        return tracks.stream().mapToInt(Track::stride).max().orElse(1);
    }
}
