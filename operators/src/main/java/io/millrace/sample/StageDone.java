package io.millrace.sample;

import org.jspecify.annotations.Nullable;

/**
 * Work of a stage on a sample that an earlier stage of the same task has already done. {@link #UNKNOWN} stands for numbers that the
 * stage finds out itself.
 *
 * @param whole whether this is all the work of the stage; otherwise the stage does the rest
 * @param nanos the time of the work
 * @param cpuNanos the CPU time of the work; unknown if the thread of the task did it, as a part of the earlier stage's work
 * @param bytes the bytes of field data after the stage, or unknown
 * @param badReason the reason why the stage found the sample bad; null when it did not
 * @param failure the reason why the stage failed, which ends the job; null when it did not fail
 * @param code what was found out about the user's code that does the work, for the stage's transform; null when it is nothing new
 * @param next the work of the stage after it; null when no more has been done
 */
public record StageDone(
        boolean whole,
        long nanos,
        long cpuNanos,
        long bytes,
        @Nullable String badReason,
        @Nullable RuntimeException failure,
        @Nullable String code,
        @Nullable StageDone next) {
    /** The value of numbers that are not known. */
    public static final long UNKNOWN = -1;

    /** Returns a part of a stage's work, which the task's thread has done. */
    public static StageDone part(long nanos) {
        return new StageDone(false, nanos, UNKNOWN, UNKNOWN, null, null, null, null);
    }

    /** Returns the work of a stage whose result costs no time, because the earlier stage makes it instead of its own. */
    public static StageDone atNoCost() {
        return new StageDone(true, 0, UNKNOWN, UNKNOWN, null, null, null, null);
    }

    /** Returns the work of the stage itself, before work of the next stage. */
    public static StageDone before(StageDone next) {
        return new StageDone(true, 0, UNKNOWN, UNKNOWN, null, null, null, next);
    }

    /** Returns the time of the work of all stages after this one. */
    public long laterNanos() {
        long nanos = 0;
        for (StageDone later = next; later != null; later = later.next) {
            nanos += later.nanos;
        }
        return nanos;
    }

    /** Returns the same work with its CPU time, which stays {@link #UNKNOWN} where it was not measured. */
    public StageDone took(long cpu) {
        return new StageDone(whole, nanos, cpu, bytes, badReason, failure, code, next);
    }

    /** Returns the same where {@code workers} processes worked on samples at the same time, each sample's share of the time. */
    public StageDone shared(int workers) {
        return new StageDone(
                whole,
                nanos / workers,
                cpuNanos,
                bytes,
                badReason,
                failure,
                code,
                next == null ? null : next.shared(workers));
    }
}
