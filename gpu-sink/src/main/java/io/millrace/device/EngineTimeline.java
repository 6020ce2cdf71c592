package io.millrace.device;

/**
 * The division of a device's time, by the events of its engine's work. Every moment between the first batch and the
 * latest work belongs to exactly one of these: a training step, the idle time before a training step, evaluation, or the copy of
 * the state for a checkpoint. Pure, except that it keeps the end of the latest work. Not thread-safe.
 *
 * <ul>
 *   <li>The time from the end of one piece of work to the start of the next training step is idle time of that step.
 *   <li>Idle time before an evaluation batch is part of the evaluation.
 *   <li>The copy of the state is not idle time. Idle time before the copy is idle time of the next step.
 *   <li>Time before the first batch is start-up, also when the state is copied meanwhile.
 * </ul>
 */
public final class EngineTimeline {
    private static final long UNKNOWN = Long.MIN_VALUE;

    /**
     * The time of one piece of work, and of the idle time before it.
     *
     * @param idleNanos the time from the end of the work before to the start of this work; 0 for the first batch
     * @param copyWaitNanos the part of the idle time for which the engine waited for the copies of the batch
     * @param workNanos the time of the work
     */
    public record Lap(long idleNanos, long copyWaitNanos, long workNanos) {
        /** Returns this lap with a shorter idle time, of which the wait for copies remains a part. */
        public Lap withIdle(long nanos) {
            return new Lap(nanos, Math.min(copyWaitNanos, nanos), workNanos);
        }

        /** Returns the whole time, from the end of the work before to the end of this work. */
        public long nanos() {
            return idleNanos + workNanos;
        }
    }

    private long lastEndNanos = UNKNOWN;
    private long idleBeforeCopyNanos;

    /** Adds the work on a batch, which is later than all work so far. */
    public Lap batch(EngineWork.Times times) {
        long idle = idleBeforeCopyNanos + idleUntil(times.beganNanos());
        idleBeforeCopyNanos = 0;
        long copyWait = Math.min(times.copyWaitNanos(), idle);
        return new Lap(idle, copyWait, endAt(times.beganNanos(), times.endedNanos()));
    }

    /**
     * Adds the copy of the state for a checkpoint, which is later than all work so far.
     *
     * @return the duration of the copy
     */
    public long stateCopy(long beganNanos, long endedNanos) {
        if (!hasBegun()) {
            return Math.max(0, endedNanos - beganNanos);
        }
        idleBeforeCopyNanos += idleUntil(beganNanos);
        return endAt(beganNanos, endedNanos);
    }

    private long idleUntil(long nanos) {
        return lastEndNanos == UNKNOWN ? 0 : Math.max(0, nanos - lastEndNanos);
    }

    /** Records the end of work that began at a time, and returns its duration. Clocks may be some microseconds apart. */
    private long endAt(long beganNanos, long endedNanos) {
        long began = lastEndNanos == UNKNOWN ? beganNanos : Math.max(lastEndNanos, beganNanos);
        lastEndNanos = Math.max(began, endedNanos);
        return lastEndNanos - began;
    }

    /** Returns whether the work on a batch was added. */
    public boolean hasBegun() {
        return lastEndNanos != UNKNOWN;
    }

    /** Returns the end of the latest work, as {@link System#nanoTime} counts; only after the first batch. */
    public long endNanos() {
        if (!hasBegun()) {
            throw new IllegalStateException("no batch has been added");
        }
        return lastEndNanos;
    }
}
