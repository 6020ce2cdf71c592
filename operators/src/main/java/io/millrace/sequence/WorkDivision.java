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

    /** The least share of its load that an exchange takes from a rank. */
    private static final double LEAST_GAIN = 1e-9;

    /** The most exchanges of the heaviest rank, in addition to one for each {@link #RANKS_OF_AN_EXCHANGE} ranks. */
    private static final int LEAST_EXCHANGES = 16;

    /** Many more exchanges would make the slowest of 512 ranks 0.3 % faster, but take ten times as long ({@code SequenceBenchmark arrange}). */
    private static final int RANKS_OF_AN_EXCHANGE = 8;

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

    /**
     * Exchanges rows until the work of the ranks is even: first of the heaviest and the lightest rank, of the second heaviest and the second
     * lightest, and so on, a few times, then of the heaviest rank and any other one, as long as its load becomes smaller.
     */
    private void even(int micro, double[] loads) {
        double enough = Arrays.stream(loads).sum() / ranks * EVEN;
        boolean changed = true;
        for (int pass = 0; pass < PASSES && changed; pass++) {
            int[] lightest = lightestFirst(loads);
            changed = false;
            for (int i = 0; i < ranks / 2 && loads[lightest[ranks - 1 - i]] > enough; i++) {
                changed |= exchange(micro, lightest[ranks - 1 - i], lightest[i], lightest[i] + 1, loads);
            }
        }
        changed = true;
        for (int i = 0; i < LEAST_EXCHANGES + ranks / RANKS_OF_AN_EXCHANGE && changed; i++) {
            int heaviest = heaviest(loads);
            changed = loads[heaviest] > enough && exchange(micro, heaviest, 0, ranks, loads);
        }
    }

    private static int heaviest(double[] loads) {
        int heaviest = 0;
        for (int rank = 1; rank < loads.length; rank++) {
            if (loads[rank] > loads[heaviest]) {
                heaviest = rank;
            }
        }
        return heaviest;
    }

    /**
     * Exchanges a row of a heavy rank with a row of one of the ranks from {@code first} on and before {@code end}, so that the larger load of
     * the two ranks becomes as small as possible. Returns false, and exchanges nothing, if no exchange makes it smaller.
     */
    private boolean exchange(int micro, int heavy, int first, int end, double[] loads) {
        double least = loads[heavy] * (1 - LEAST_GAIN);
        int heavyPlace = -1;
        int lightPlace = -1;
        int compared = Math.min(each, COMPARED);
        for (int light = first; light < end; light++) {
            double mean = (loads[heavy] + loads[light]) / 2;
            if (mean >= least) {
                continue;
            }
            double half = mean - loads[light];
            for (int a = place(heavy, micro); a < place(heavy, micro) + compared; a++) {
                for (int b = place(light, micro); b < place(light, micro) + compared; b++) {
                    double larger = mean + Math.abs(costs[rows[a]] - costs[rows[b]] - half);
                    if (larger < least) {
                        least = larger;
                        heavyPlace = a;
                        lightPlace = b;
                    }
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
        loads[lightPlace / (microBatches * each)] += moved;
        return true;
    }
}
