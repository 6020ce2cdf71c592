package io.millrace.device;

import java.util.concurrent.locks.LockSupport;

/** Simulates the time that something slower would take, by waiting without using a core. */
public final class SimulatedTime {
    private SimulatedTime() {}

    /**
     * Waits until so much time has passed since {@code begunNanos} of {@link System#nanoTime}. An interrupt ends the
     * wait, and is kept for the caller.
     */
    public static void pass(long begunNanos, long nanos) {
        for (long left = left(begunNanos, nanos); left > 0; left = left(begunNanos, nanos)) {
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            LockSupport.parkNanos(left);
        }
    }

    private static long left(long begunNanos, long nanos) {
        return nanos - (System.nanoTime() - begunNanos);
    }
}
