package io.millrace.device;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The engine's work on one batch, whose times the device's events show. The times are read after the work, without
 * waiting for it. The thread that trains calls.
 */
public final class EngineWork {
    /** Work without times, because all events were in use. */
    public static final EngineWork UNTIMED = new EngineWork(null);

    /**
     * The times of the work, as {@link System#nanoTime} counts.
     *
     * @param reachedNanos the time at which the engine had finished all earlier work and reached this work
     * @param beganNanos the time at which the batch's copies were done too, and the work began
     * @param endedNanos the time at which the work ended
     */
    public record Times(long reachedNanos, long beganNanos, long endedNanos) {
        /** Returns the time for which the engine waited for the batch's copies. */
        public long copyWaitNanos() {
            return Math.max(0, beganNanos - reachedNanos);
        }

        /** Returns the time for which the engine worked. */
        public long workNanos() {
            return Math.max(0, endedNanos - beganNanos);
        }
    }

    private final @Nullable DeviceUse use;

    /** Volatile: any thread that enqueues work may read the times from the events. */
    private volatile @Nullable Times times;

    EngineWork(@Nullable DeviceUse use) {
        this.use = use;
    }

    /** Sets the times. */
    void timed(Times read) {
        times = read;
    }

    /** Returns whether the work is done and its times are known, or there will be none; does not wait. */
    public boolean isDone() {
        DeviceUse from = use;
        if (from != null && times == null) {
            from.readTimes();
        }
        return from == null || times != null;
    }

    /** Waits for the work, and returns its times; empty for work without times. */
    public Optional<Times> times() {
        DeviceUse from = use;
        if (from != null && times == null) {
            from.awaitTimes(this);
        }
        return Optional.ofNullable(times);
    }
}
