package io.millrace.order;

import java.io.Serializable;

/**
 * In which order the samples of a dataset are visited: which index stands at place i of epoch e. Constant memory.
 *
 * @param seed the run's seed; without effect when not shuffled
 * @param size the number of samples, 0 to 2^40
 * @param shuffle how
 */
public record EpochOrder(long seed, long size, Shuffle shuffle) implements Serializable {
    /** How samples are ordered. */
    public enum Shuffle {
        /** Storage order in every epoch. */
        NONE,
        /** A fresh permutation of the whole dataset in every epoch. */
        FULL
    }

    /** The sample index at place {@code i} of {@code epoch}. */
    public long index(int epoch, long i) {
        throw new UnsupportedOperationException("TODO");
    }
}
