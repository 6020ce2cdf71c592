package io.millrace.pack;

import java.io.Serializable;

/**
 * How the samples are cut into tasks: task t has those from {@code t * samplesPerTask} on.
 *
 * @param samples of the dataset, at least 1
 * @param samplesPerTask at least 1
 */
record PackPlan(long samples, long samplesPerTask) implements Serializable {
    /** Tasks aim a little below a shard's size, so that few of them end in a second, small shard. */
    private static final double FILL = 0.95;

    PackPlan {
        if (samples < 1 || samplesPerTask < 1) {
            throw new IllegalArgumentException(
                    "expected samples and samples per task of at least 1, found " + samples + " and " + samplesPerTask);
        }
    }

    /**
     * Cuts by the size that samples have on average.
     *
     * @param meanBytes of a sample in a shard, above 0
     */
    static PackPlan of(long samples, double meanBytes, long shardBytes) {
        long fitting = Math.max(1, (long) (FILL * shardBytes / meanBytes));
        long tasks = (samples + fitting - 1) / fitting;
        // Tasks of even size: the last is no stump.
        return new PackPlan(samples, (samples + tasks - 1) / tasks);
    }

    long tasks() {
        return (samples + samplesPerTask - 1) / samplesPerTask;
    }

    long first(long task) {
        return task * samplesPerTask;
    }

    /** The index after a task's last sample. */
    long end(long task) {
        return Math.min(samples, first(task) + samplesPerTask);
    }
}
