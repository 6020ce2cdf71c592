package io.millrace.pack;

import java.io.Serializable;

/**
 * The division of the samples into tasks: task t begins with sample {@code t * samplesPerTask}.
 *
 * @param samples the number of samples in the dataset, at least 1
 * @param samplesPerTask the number of samples in a task, at least 1
 */
record PackPlan(long samples, long samplesPerTask) implements Serializable {
    /**
     * The share of a shard's size that a task should fill. It is below 1, so that few tasks need a second, small shard.
     */
    private static final double FILL = 0.95;

    PackPlan {
        if (samples < 1 || samplesPerTask < 1) {
            throw new IllegalArgumentException(
                    "expected samples and samples per task of at least 1, found " + samples + " and " + samplesPerTask);
        }
    }

    /**
     * Returns the division that follows from the average size of samples.
     *
     * @param meanBytes the average bytes of a sample in a shard, above 0
     */
    static PackPlan of(long samples, double meanBytes, long shardBytes) {
        long fitting = Math.max(1, (long) (FILL * shardBytes / meanBytes));
        long tasks = (samples + fitting - 1) / fitting;
        // All tasks have about the same size, so that the last one is not much smaller.
        return new PackPlan(samples, (samples + tasks - 1) / tasks);
    }

    long tasks() {
        return (samples + samplesPerTask - 1) / samplesPerTask;
    }

    long first(long task) {
        return task * samplesPerTask;
    }

    /** Returns the index after a task's last sample. */
    long end(long task) {
        return Math.min(samples, first(task) + samplesPerTask);
    }
}
