package io.millrace.diagnosis;

import org.jspecify.annotations.Nullable;

/**
 * What one stage takes of its thread and of the processor.
 *
 * @param recordsPerSample how many records it handles for each sample that is trained on; at least 0
 * @param ownSeconds per record, the thread's time in its work, without waiting for input, for room behind it, or for a
 *     core; null when unknown
 * @param cpuSeconds per record, of processor time; null when unknown
 */
public record StageCost(
        String name,
        double recordsPerSample,
        @Nullable Double ownSeconds,
        @Nullable Double cpuSeconds) {
    public StageCost {
        check(name, "records per sample", recordsPerSample);
        check(name, "own seconds", ownSeconds);
        check(name, "CPU seconds", cpuSeconds);
    }

    private static void check(String stage, String what, @Nullable Double value) {
        if (value != null && (!Double.isFinite(value) || value < 0)) {
            throw new IllegalArgumentException(
                    stage + ": " + what + ": expected a finite number of at least 0, found " + value);
        }
    }

    /** The thread's time for each sample that is trained on; null when unknown. */
    @Nullable
    Double ownSecondsPerSample() {
        return ownSeconds == null ? null : Double.valueOf(recordsPerSample * ownSeconds);
    }

    /** The processor's time for each sample that is trained on; null when unknown. */
    @Nullable
    Double cpuSecondsPerSample() {
        return cpuSeconds == null ? null : Double.valueOf(recordsPerSample * cpuSeconds);
    }

    /** The same stage at another cost per record: 0.5 is half of it. */
    StageCost times(double factor) {
        return new StageCost(
                name,
                recordsPerSample,
                ownSeconds == null ? null : Double.valueOf(ownSeconds * factor),
                cpuSeconds == null ? null : Double.valueOf(cpuSeconds * factor));
    }
}
