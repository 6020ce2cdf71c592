package io.millrace.device;

import java.util.concurrent.locks.LockSupport;

/** Time that something slower would take: it is waited for, and takes no core. */
public final class SimulatedTime {
    private SimulatedTime() {}

    /**
     * Waits until so much time is over since {@code begunNanos} of {@link System#nanoTime}; an interrupt ends it, and is
     * kept for the caller.
     */
    public static void pass(long begunNanos, long nanos) {
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - begunNanos)) {
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            LockSupport.parkNanos(left);
        }
    }
}
