package io.millrace.sequence;

import io.millrace.order.EpochOrder;
import io.millrace.order.Permutation;
import io.millrace.order.Shuffle;
import java.util.function.IntUnaryOperator;

/**
 * The shuffles of windows and within them. Their numbers have the sign bit, so that they differ from those of the shuffles of samples, which
 * use the same seed.
 */
final class WindowShuffle {
    private static final int ROUND_BITS = 31;

    private WindowShuffle() {}

    /**
     * Returns the window of documents at each place of a round: in the order of the documents in round 0, and in every round if the
     * documents are not shuffled.
     *
     * @param round 0 or more
     */
    static IntUnaryOperator ofWindows(EpochOrder documents, int round, int windows) {
        if (round == 0 || documents.shuffle() == Shuffle.NONE || windows == 0) {
            return place -> place;
        }
        Permutation permutation = new Permutation(documents.seed(), number(0, round), windows);
        return place -> (int) permutation.apply(place);
    }

    /** Returns the place of a window in a round: the place at which {@link #ofWindows} has it. */
    static int placeOfWindow(EpochOrder documents, int round, int windows, int window) {
        return round == 0 || documents.shuffle() == Shuffle.NONE
                ? window
                : (int) new Permutation(documents.seed(), number(0, round), windows).inverse(window);
    }

    /** Returns the place of a pack in its window in a round: the place at which {@link #ofPacks} has it. */
    static int placeOfPack(EpochOrder documents, int round, int window, int packs, int pack) {
        return documents.shuffle() == Shuffle.NONE
                ? pack
                : (int) within(documents.seed(), round, window, packs).inverse(pack);
    }

    /**
     * Returns the pack at each place of a window in a round. Packs are shuffled if the documents are.
     *
     * @param round 0 or more
     * @param window the number of the window, 0 or more
     * @param packs the number of its packs, at least 1
     */
    static IntUnaryOperator ofPacks(EpochOrder documents, int round, int window, int packs) {
        if (documents.shuffle() == Shuffle.NONE) {
            return place -> place;
        }
        Permutation permutation = within(documents.seed(), round, window, packs);
        return place -> (int) permutation.apply(place);
    }

    /**
     * Returns a permutation within a window.
     *
     * @param round 0 or more
     * @param window the number of the window, 0 to 2^32 - 2
     * @param size the number of things that are shuffled, at least 1
     */
    static Permutation within(long seed, int round, long window, long size) {
        return new Permutation(seed, number(window + 1, round), size);
    }

    private static long number(long kind, int round) {
        return Long.MIN_VALUE | kind << ROUND_BITS | round;
    }
}
