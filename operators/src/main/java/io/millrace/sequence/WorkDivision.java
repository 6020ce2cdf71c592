package io.millrace.sequence;

import java.util.Arrays;

/**
 * The division of the rows of one batch among ranks and micro-batches, as {@link BalancedRows} describes it. The rows of a rank are its
 * micro-batches one after another. One thread uses an object.
 *
 * <p>Tested by {@code BalancedRowsTest}.
 */
final class WorkDivision {
    /** A ratio of the heaviest to the mean load that needs no exchange. */
    private static final double EVEN = 1.001;

    /** How often the ranks are sorted again for exchanges. */
    private static final int PASSES = 8;

    /** The largest number of rows of a rank that an exchange compares, which bounds the time where a rank has many rows. */
    private static final int COMPARED = 16;

    /** The least share of the difference of two ranks that an exchange removes. */
    private static final double LEAST_GAIN = 1e-6;

    private final double[] costs;
    private final int ranks;
    private final int microBatches;

    /** The number of rows of a rank in a micro-batch. */
    private final int each;

    /** The row of each place. */
    private final int[] rows;

    /** The sum of the costs of each rank in each micro-batch, by {@code microBatch * ranks + rank}. */
    private final double[] loads;

    /** The sum of the costs of each rank in all micro-batches so far. */
    private final double[] totals;

    /** The heaviest load that a micro-batch may have: no bound until the loads are even. */
    private final double[] most;

    WorkDivision(double[] costs, int ranks, int microBatches) {
        this.costs = costs;
        this.ranks = ranks;
        this.microBatches = microBatches;
        each = costs.length / (ranks * microBatches);
        rows = new int[costs.length];
        loads = new double[ranks * microBatches];
        totals = new double[ranks];
        most = new double[microBatches];
        divide();
    }

    /** Returns the row of each place: rank by rank, and for each rank micro-batch by micro-batch. */
    int[] places() {
        return rows;
    }

    private void divide() {
        Arrays.fill(most, Double.MAX_VALUE);
        int[] heaviest = lightestFirst(costs, 0, costs.length);
        int next = costs.length;
        for (int micro = 0; micro < microBatches; micro++) {
            for (int turn = 0; turn < each; turn++) {
                int[] lightest =
                        turn == 0 ? lightestFirst(totals, 0, ranks) : lightestFirst(loads, micro * ranks, ranks);
                for (int rank : lightest) {
                    int row = heaviest[--next];
                    rows[place(rank, micro) + turn] = row;
                    loads[micro * ranks + rank] += costs[row];
                }
            }
            if (each > 1) {
                evenMicroBatch(micro);
            }
            for (int rank = 0; rank < ranks; rank++) {
                totals[rank] += loads[micro * ranks + rank];
            }
        }
        if (microBatches > 1) {
            evenStep();
        }
    }

    private int place(int rank, int micro) {
        return (rank * microBatches + micro) * each;
    }

    /** Returns the numbers 0 to {@code count - 1} by the values from {@code first} on, which are compared as floats. */
    private static int[] lightestFirst(double[] values, int first, int count) {
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) {
            keys[i] = (long) Float.floatToRawIntBits((float) values[first + i]) << Integer.SIZE | i;
        }
        Arrays.sort(keys);
        int[] sorted = new int[count];
        for (int i = 0; i < count; i++) {
            sorted[i] = (int) keys[i];
        }
        return sorted;
    }

    /** Exchanges rows between ranks so that the loads of a micro-batch become more even. */
    private void evenMicroBatch(int micro) {
        int first = micro * ranks;
        even(loads, first, (heavy, light) -> exchange(heavy, light, loads, first, micro, micro + 1));
    }

    /** Exchanges rows between ranks, each within a micro-batch, so that the totals become more even. */
    private void evenStep() {
        for (int micro = 0; micro < microBatches; micro++) {
            most[micro] = 0;
            for (int rank = 0; rank < ranks; rank++) {
                most[micro] = Math.max(most[micro], loads[micro * ranks + rank]);
            }
        }
        even(totals, 0, (heavy, light) -> exchange(heavy, light, totals, 0, 0, microBatches));
    }

    /** A function that exchanges two rows of a heavy and a light rank, and returns whether it has. */
    private interface Exchange {
        boolean between(int heavy, int light);
    }

    /** Exchanges rows of the heaviest and the lightest rank, of the second heaviest and the second lightest, and so on, a few times. */
    private void even(double[] values, int first, Exchange exchange) {
        double sum = 0;
        for (int rank = 0; rank < ranks; rank++) {
            sum += values[first + rank];
        }
        for (int pass = 0; pass < PASSES; pass++) {
            int[] lightest = lightestFirst(values, first, ranks);
            boolean changed = false;
            for (int i = 0; i < ranks / 2; i++) {
                int heavy = lightest[ranks - 1 - i];
                if (values[first + heavy] * ranks <= sum * EVEN) {
                    break;
                }
                changed |= exchange.between(heavy, lightest[i]);
            }
            if (!changed) {
                return;
            }
        }
    }

    /**
     * Exchanges the two rows of a heavy and a light rank after which their values differ least. No micro-batch gets a heavier load than
     * {@link #most}.
     *
     * @param values the values to even out, {@link #loads} from {@code first} on, or {@link #totals}
     * @param from the first micro-batch in which rows may be exchanged
     * @param to the micro-batch after the last one
     * @return whether the values differ less than before
     */
    private boolean exchange(int heavy, int light, double[] values, int first, int from, int to) {
        double gap = values[first + heavy] - values[first + light];
        double least = gap / 2 * (1 - LEAST_GAIN);
        int heavyPlace = -1;
        int lightPlace = -1;
        for (int micro = from; micro < to; micro++) {
            int h = place(heavy, micro);
            int l = place(light, micro);
            for (int a = h; a < h + Math.min(each, COMPARED); a++) {
                for (int b = l; b < l + Math.min(each, COMPARED); b++) {
                    double moved = costs[rows[a]] - costs[rows[b]];
                    double distance = Math.abs(moved - gap / 2);
                    if (distance < least && loads[micro * ranks + light] + moved <= most[micro]) {
                        least = distance;
                        heavyPlace = a;
                        lightPlace = b;
                    }
                }
            }
        }
        if (heavyPlace < 0) {
            return false;
        }
        int micro = heavyPlace / each % microBatches;
        int row = rows[heavyPlace];
        rows[heavyPlace] = rows[lightPlace];
        rows[lightPlace] = row;
        double moved = costs[row] - costs[rows[heavyPlace]];
        loads[micro * ranks + heavy] -= moved;
        loads[micro * ranks + light] += moved;
        if (values == totals) {
            totals[heavy] -= moved;
            totals[light] += moved;
        }
        return true;
    }
}
