package io.millrace.sequence;

import io.millrace.order.Permutation;

/**
 * The shuffles of windows and within them. Their numbers have the sign bit, so that they differ from those of the shuffles of samples, which
 * use the same seed.
 */
final class WindowShuffle {
    /** The largest number of windows. */
    static final long MOST_WINDOWS = (1L << 32) - 2;

    private static final int ROUND_BITS = 31;

    private WindowShuffle() {}

    /**
     * Returns the order of the windows of a dataset in a round.
     *
     * @param round 0 or more
     */
    static Permutation ofWindows(long seed, int round, long windows) {
        return new Permutation(seed, number(0, round), windows);
    }

    /**
     * Returns the order within a window in a round.
     *
     * @param round 0 or more
     * @param window 0 to {@link #MOST_WINDOWS}
     * @param size the number of things that are shuffled, at least 1
     */
    static Permutation within(long seed, int round, long window, long size) {
        return new Permutation(seed, number(window + 1, round), size);
    }

    private static long number(long kind, int round) {
        return Long.MIN_VALUE | kind << ROUND_BITS | round;
    }
}
