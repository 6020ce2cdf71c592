package io.millrace.diagnosis;

import org.jspecify.annotations.Nullable;

/**
 * What one stage takes of its thread and of the processor.
 *
 * @param recordsPerSample how many records it handles for each sample that is trained on; at least 0
 * @param ownSeconds per record, the thread's time in its work, without waiting for input, for room behind it, or for a
 *     core; null when unknown
 * @param cpuSeconds per record, of processor time; null when unknown
 * @param usualSeconds own time of the median record, where a few records cost many times that; null where they do not, or
 *     when unknown
 */
public record StageCost(
        String name,
        double recordsPerSample,
        @Nullable Double ownSeconds,
        @Nullable Double cpuSeconds,
        @Nullable Double usualSeconds) {
    public StageCost {
        check(name, "records per sample", recordsPerSample);
        check(name, "own seconds", ownSeconds);
        check(name, "CPU seconds", cpuSeconds);
        check(name, "usual seconds", usualSeconds);
    }

    /** A stage whose records cost about the same. */
    public StageCost(String name, double recordsPerSample, @Nullable Double ownSeconds, @Nullable Double cpuSeconds) {
        this(name, recordsPerSample, ownSeconds, cpuSeconds, null);
    }

    private static void check(String stage, String what, @Nullable Double value) {
        if (value != null && (!Double.isFinite(value) || value < 0)) {
            throw new IllegalArgumentException(
                    stage + ": " + what + ": expected a finite number of at least 0, found " + value);
        }
    }

    /** The thread's time for each sample that is trained on; null when unknown. */
    public @Nullable Double ownSecondsPerSample() {
        return ownSeconds == null ? null : Double.valueOf(recordsPerSample * ownSeconds);
    }

    /** The processor's time for each sample that is trained on; null when unknown. */
    public @Nullable Double cpuSecondsPerSample() {
        return cpuSeconds == null ? null : Double.valueOf(recordsPerSample * cpuSeconds);
    }

    /** The same stage at another cost per record: 0.5 is half of it. */
    StageCost times(double factor) {
        return new StageCost(
                name,
                recordsPerSample,
                ownSeconds == null ? null : Double.valueOf(ownSeconds * factor),
                cpuSeconds == null ? null : Double.valueOf(cpuSeconds * factor),
                usualSeconds == null ? null : Double.valueOf(usualSeconds * factor));
    }

    /** The same stage with another number of records for each sample. */
    StageCost withRecords(double perSample) {
        return new StageCost(name, perSample, ownSeconds, cpuSeconds, usualSeconds);
    }

    /** Whether most of the time goes to a few records. */
    boolean uneven() {
        return usualSeconds != null && ownSeconds != null && ownSeconds > UNEVEN * usualSeconds;
    }

    /** The same stage without the few records that cost many times what others do. */
    StageCost evened() {
        if (ownSeconds == null || usualSeconds == null || !uneven()) {
            return this;
        }
        Double cpu = cpuSeconds == null ? null : Double.valueOf(cpuSeconds * usualSeconds / ownSeconds);
        return new StageCost(name, recordsPerSample, usualSeconds, cpu);
    }

    /** A mean this many times the median is made by a few. */
    private static final double UNEVEN = 2;

    /** Whether the thread waits for something in it, most of the time. */
    boolean waits() {
        return ownSeconds != null && cpuSeconds != null && ownSeconds > WAITING * cpuSeconds;
    }

    private static final double WAITING = 3;
}
