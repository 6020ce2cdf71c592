package io.millrace.diagnosis;

import org.jspecify.annotations.Nullable;

/**
 * The cost of one stage.
 *
 * @param name the name of the stage
 * @param recordsPerSample the number of records that the stage handles for each sample trained on, at least 0
 * @param ownSeconds the own time of a record in seconds, without waiting for input, for room in the next stage, or for a
 *     core; null when unknown
 * @param cpuSeconds the CPU time of a record in seconds; null when unknown
 * @param usualSeconds the own time of the median record in seconds, when a few records cost many times as much; otherwise,
 *     or when unknown, null
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

    /** Creates the cost of a stage whose records cost about the same. */
    public StageCost(String name, double recordsPerSample, @Nullable Double ownSeconds, @Nullable Double cpuSeconds) {
        this(name, recordsPerSample, ownSeconds, cpuSeconds, null);
    }

    private static void check(String stage, String what, @Nullable Double value) {
        if (value != null && (!Double.isFinite(value) || value < 0)) {
            throw new IllegalArgumentException(
                    stage + ": " + what + ": expected a finite number of at least 0, found " + value);
        }
    }

    /** Returns the own time for each sample trained on, in seconds; null when unknown. */
    public @Nullable Double ownSecondsPerSample() {
        return ownSeconds == null ? null : Double.valueOf(recordsPerSample * ownSeconds);
    }

    /** Returns the CPU time for each sample trained on, in seconds; null when unknown. */
    public @Nullable Double cpuSecondsPerSample() {
        return cpuSeconds == null ? null : Double.valueOf(recordsPerSample * cpuSeconds);
    }

    /** Returns the stage with its cost per record multiplied by a factor. */
    StageCost times(double factor) {
        return new StageCost(
                name,
                recordsPerSample,
                ownSeconds == null ? null : Double.valueOf(ownSeconds * factor),
                cpuSeconds == null ? null : Double.valueOf(cpuSeconds * factor),
                usualSeconds == null ? null : Double.valueOf(usualSeconds * factor));
    }

    /** Returns the stage with its CPU time multiplied by a factor; the rest of its own time, in which it waits, stays. */
    StageCost withCpuTime(double factor) {
        if (cpuSeconds == null) {
            return this;
        }
        Double own = ownSeconds;
        Double worked = own == null ? null : Double.valueOf(own + (factor - 1) * Math.min(own, cpuSeconds));
        return new StageCost(name, recordsPerSample, worked, cpuSeconds * factor, usualSeconds);
    }

    /** Returns the stage with another number of records for each sample. */
    StageCost withRecords(double perSample) {
        return new StageCost(name, perSample, ownSeconds, cpuSeconds, usualSeconds);
    }

    /**
     * Returns the stage as it would be if its thread were never stopped. The pauses are part of its own time, but not of its
     * CPU time. When a few records cost many times as much as the others, it was the collections that made them slow.
     *
     * @param stopped the share of the time in which the thread was stopped, 0 to less than 1
     */
    StageCost withoutPauses(double stopped) {
        if (ownSeconds == null || uneven()) {
            return evened();
        }
        double least = cpuSeconds == null ? 0 : Math.min(ownSeconds, cpuSeconds);
        return new StageCost(
                name, recordsPerSample, Math.max(least, ownSeconds * (1 - stopped)), cpuSeconds, usualSeconds);
    }

    /** Returns whether a few records take most of the time. */
    boolean uneven() {
        return usualSeconds != null && ownSeconds != null && ownSeconds > UNEVEN * usualSeconds;
    }

    /** Returns the stage without the few records that cost many times as much as the others. */
    StageCost evened() {
        if (ownSeconds == null || usualSeconds == null || !uneven()) {
            return this;
        }
        Double cpu = cpuSeconds == null ? null : Double.valueOf(cpuSeconds * usualSeconds / ownSeconds);
        return new StageCost(name, recordsPerSample, usualSeconds, cpu);
    }

    /** A mean of this many times the median is caused by a few records. */
    private static final double UNEVEN = 2;

    /** Returns whether the thread spends most of its time in this stage waiting. */
    boolean waits() {
        return ownSeconds != null && cpuSeconds != null && ownSeconds > WAITING * cpuSeconds;
    }

    private static final double WAITING = 3;
}
