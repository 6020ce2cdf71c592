package io.millrace.trace;

import java.io.Serializable;
import java.nio.file.Path;

/**
 * The settings of a recording, which the job carries to its tasks.
 *
 * @param run the run's folder; each process writes its part below that folder, on its own machine
 * @param beganAtMillis the start of the recording by the wall clock, in milliseconds since 1970
 * @param mostEvents the largest number of events that a process writes, at least 1
 */
public record Recording(String run, long beganAtMillis, int mostEvents) implements Serializable {
    /** The smallest limit of events for a process. A trace with fewer events would show too little. */
    private static final int LEAST_EVENTS = 20_000;

    /** The number of events that one client reads at once, for any number of processes. */
    private static final int READ_TOGETHER = 2 * TraceFile.MOST_EVENTS;

    public Recording {
        if (mostEvents < 1) {
            throw new IllegalArgumentException("events: expected at least 1, found " + mostEvents);
        }
    }

    /**
     * Returns a recording that begins now.
     *
     * @param run the run's folder
     * @param processes the approximate number of processes in which the job's tasks run
     */
    public static Recording begin(Path run, int processes) {
        int share = READ_TOGETHER / Math.max(1, processes);
        return new Recording(
                run.toAbsolutePath().toString(),
                System.currentTimeMillis(),
                Math.min(TraceFile.MOST_EVENTS, Math.max(LEAST_EVENTS, share)));
    }
}
