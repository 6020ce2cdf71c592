package io.millrace.sample;

import org.jspecify.annotations.Nullable;

/**
 * The work of a stage on a sample that an earlier stage of the same task has already done, because one call of another process did
 * the work of several stages.
 *
 * @param nanos the time of the work
 * @param cpuNanos the CPU time of the work
 * @param bytes the bytes of field data after the stage
 * @param badReason the reason why the stage found the sample bad; null when it did not
 * @param failure the reason why the stage failed, which ends the job; null when it did not fail
 * @param code what was found out about the user's code that does the work, for the stage's transform; null when it is nothing new
 * @param next the work of the stage after it; null when no more has been done
 */
public record StageDone(
        long nanos,
        long cpuNanos,
        long bytes,
        @Nullable String badReason,
        @Nullable RuntimeException failure,
        @Nullable String code,
        @Nullable StageDone next) {
    /** Returns the time of the work of all stages after this one. */
    public long laterNanos() {
        long nanos = 0;
        for (StageDone later = next; later != null; later = later.next) {
            nanos += later.nanos;
        }
        return nanos;
    }

    /** Returns the same where {@code workers} processes worked on samples at the same time, each sample's share of the time. */
    public StageDone shared(int workers) {
        return new StageDone(
                nanos / workers, cpuNanos, bytes, badReason, failure, code, next == null ? null : next.shared(workers));
    }
}
