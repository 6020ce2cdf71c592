package io.millrace.trace;

import java.io.Serializable;
import java.nio.file.Path;

/**
 * That a job is recorded: travels with it.
 *
 * @param run the run's folder; each process writes what it recorded below it, on its machine
 * @param beganAtMillis wall clock; time 0 of the recording
 * @param mostEvents that a process writes
 */
public record Recording(String run, long beganAtMillis, int mostEvents) implements Serializable {
    /** So few are worth nothing. */
    private static final int LEAST_EVENTS = 20_000;

    /** What one client reads together, whatever the number of processes. */
    private static final int READ_TOGETHER = 2 * TraceFile.MOST_EVENTS;

    public Recording {
        if (mostEvents < 1) {
            throw new IllegalArgumentException("events: expected at least 1, found " + mostEvents);
        }
    }

    /**
     * One that begins now.
     *
     * @param processes in which the job's tasks may run, about
     */
    public static Recording begin(Path run, int processes) {
        int share = READ_TOGETHER / Math.max(1, processes);
        return new Recording(
                run.toAbsolutePath().toString(),
                System.currentTimeMillis(),
                Math.min(TraceFile.MOST_EVENTS, Math.max(LEAST_EVENTS, share)));
    }
}
