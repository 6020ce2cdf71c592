package io.millrace.sequence;

import java.util.Arrays;

/**
 * The division of the rows of one batch among ranks and micro-batches, as {@link BalancedRows} describes it. The rows of a rank are its
 * micro-batches one after another. One thread uses an object.
 *
 * <p>Tested by {@code BalancedRowsTest}.
 */
final class WorkDivision {
    /** A ratio of a load to the mean load that needs no exchange. */
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

    WorkDivision(double[] costs, int ranks, int microBatches) {
        this.costs = costs;
        this.ranks = ranks;
        this.microBatches = microBatches;
        each = costs.length / (ranks * microBatches);
        rows = new int[costs.length];
        divide();
    }

    /** Returns the row of each place: rank by rank, and for each rank micro-batch by micro-batch. */
    int[] places() {
        return rows;
    }

    private void divide() {
        int[] heaviest = lightestFirst(costs);
        int next = costs.length;
        double[] totals = new double[ranks];
        for (int micro = 0; micro < microBatches; micro++) {
            double[] loads = new double[ranks];
            for (int turn = 0; turn < each; turn++) {
                for (int rank : lightestFirst(turn == 0 ? totals : loads)) {
                    int row = heaviest[--next];
                    rows[place(rank, micro) + turn] = row;
                    loads[rank] += costs[row];
                }
            }
            if (each > 1) {
                even(micro, loads);
            }
            for (int rank = 0; rank < ranks; rank++) {
                totals[rank] += loads[rank];
            }
        }
    }

    private int place(int rank, int micro) {
        return (rank * microBatches + micro) * each;
    }

    /** Returns the numbers of the values, sorted by the values, which are compared as floats. */
    private static int[] lightestFirst(double[] values) {
        long[] keys = new long[values.length];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = (long) Float.floatToRawIntBits((float) values[i]) << Integer.SIZE | i;
        }
        Arrays.sort(keys);
        int[] sorted = new int[keys.length];
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = (int) keys[i];
        }
        return sorted;
    }

    /** Exchanges rows of the heaviest and the lightest rank, of the second heaviest and the second lightest, and so on, a few times. */
    private void even(int micro, double[] loads) {
        double mean = Arrays.stream(loads).sum() / ranks;
        boolean changed = true;
        for (int pass = 0; pass < PASSES && changed; pass++) {
            int[] lightest = lightestFirst(loads);
            changed = false;
            for (int i = 0; i < ranks / 2 && loads[lightest[ranks - 1 - i]] > mean * EVEN; i++) {
                changed |= exchange(micro, lightest[ranks - 1 - i], lightest[i], loads);
            }
        }
    }

    /** Exchanges the two rows of a heavy and a light rank after which their loads differ least, and returns whether that helps. */
    private boolean exchange(int micro, int heavy, int light, double[] loads) {
        double half = (loads[heavy] - loads[light]) / 2;
        double least = half * (1 - LEAST_GAIN);
        int heavyPlace = -1;
        int lightPlace = -1;
        int compared = Math.min(each, COMPARED);
        for (int a = place(heavy, micro); a < place(heavy, micro) + compared; a++) {
            for (int b = place(light, micro); b < place(light, micro) + compared; b++) {
                double distance = Math.abs(costs[rows[a]] - costs[rows[b]] - half);
                if (distance < least) {
                    least = distance;
                    heavyPlace = a;
                    lightPlace = b;
                }
            }
        }
        if (heavyPlace < 0) {
            return false;
        }
        int row = rows[heavyPlace];
        rows[heavyPlace] = rows[lightPlace];
        rows[lightPlace] = row;
        double moved = costs[row] - costs[rows[heavyPlace]];
        loads[heavy] -= moved;
        loads[light] += moved;
        return true;
    }
}
