package io.millrace.sequence;

import io.millrace.order.EpochOrder;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * The numbers of packs before the windows of a round, at each {@value #STRIDE}th place, and the search for the window of a pack. One thread
 * at a time may extend it. Afterwards any thread may search.
 *
 * <p>Tested by {@code SequencePlanTest} and {@code GrowingPlanTest}.
 */
final class PackSums {
    /** The number of packs of a window whose documents are not all counted. */
    static final int NOT_COUNTED = -1;

    private static final int STRIDE = 16;
    private static final int RECENT_WINDOWS = 16;

    private final EpochOrder documents;
    private final int round;
    private final int[] counts;
    private final IntUnaryOperator windows;
    private final long[] before;
    private final RecentValues<IntUnaryOperator> shuffles = new RecentValues<>(RECENT_WINDOWS);
    private int places;
    private long packs;

    /**
     * Creates sums without windows.
     *
     * @param documents the order of the documents
     * @param round 0 or more
     * @param counts the number of packs of each window, {@link #NOT_COUNTED} for one that is not counted; the object reads the array when it is extended
     */
    PackSums(EpochOrder documents, int round, int[] counts) {
        this.documents = documents;
        this.round = round;
        this.counts = counts;
        windows = WindowShuffle.ofWindows(documents, round, counts.length);
        before = new long[(counts.length + STRIDE - 1) / STRIDE];
    }

    /** Adds the windows at the next places, up to the first one that is not counted. */
    PackSums extend() {
        while (places < counts.length) {
            int count = counts[windows.applyAsInt(places)];
            if (count == NOT_COUNTED) {
                break;
            }
            if (places % STRIDE == 0) {
                before[places / STRIDE] = packs;
            }
            packs += count;
            places++;
        }
        return this;
    }

    /** Returns the number of places whose windows are counted. */
    int places() {
        return places;
    }

    /** Returns the number of packs of these windows. */
    long packs() {
        return packs;
    }

    /** Returns the number of packs before a window, which must be counted. */
    long before(int window) {
        int place = WindowShuffle.placeOfWindow(documents, round, counts.length, window);
        long first = before[place / STRIDE];
        for (int earlier = place / STRIDE * STRIDE; earlier < place; earlier++) {
            first += counts[windows.applyAsInt(earlier)];
        }
        return first;
    }

    /**
     * Finds a pack.
     *
     * @param number the number of the pack in the round, 0 to {@code packs() - 1}
     */
    SequencePlan.Place place(long number) {
        int found = Arrays.binarySearch(before, 0, (places + STRIDE - 1) / STRIDE, number);
        int sum = found >= 0 ? found : -found - 2;
        long first = before[sum];
        int place = sum * STRIDE;
        int window = windows.applyAsInt(place);
        while (number - first >= counts[window]) {
            first += counts[window];
            place++;
            window = windows.applyAsInt(place);
        }
        IntUnaryOperator shuffle = shuffles.value(window, this::shuffle);
        return new SequencePlan.Place(window, first, counts[window], shuffle.applyAsInt((int) (number - first)));
    }

    private IntUnaryOperator shuffle(long window) {
        return WindowShuffle.ofPacks(documents, round, (int) window, counts[(int) window]);
    }
}
