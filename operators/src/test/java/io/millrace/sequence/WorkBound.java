package io.millrace.sequence;

import java.util.Arrays;

/** Lower bounds of the work of the slowest rank, whatever the division of a batch in which each rank has the same number of rows. */
final class WorkBound {
    private WorkBound() {}

    /**
     * Returns a load that the slowest rank has at least in any division.
     *
     * @param costs the costs of the rows, in any order
     * @param ranks the number of ranks, which divides the number of rows
     */
    static double anyDivision(double[] costs, int ranks) {
        int each = costs.length / ranks;
        double[] sums = sumsOfHeaviest(costs);
        double all = sums[costs.length];
        double bound = 0;
        // The lightest rows are on at most as many ranks, so that a heavy row that has no place there meets other rows.
        for (int lightest = 0; lightest < ranks; lightest++) {
            int hidden = lightest * (each - 1);
            int end = costs.length - lightest;
            for (int heavy = 1; heavy + lightest <= ranks; heavy++) {
                double rows = sums[hidden + heavy] - sums[hidden] + sums[end] - sums[end - heavy * (each - 1)];
                bound = Math.max(bound, rows / heavy);
            }
            // These ranks have at most the heaviest rows beside them, and the others have the rest.
            bound = Math.max(bound, (sums[end] - sums[hidden]) / (ranks - lightest));
        }
        // One of the ranks has more of the heaviest rows than the mean rank.
        for (int shared = 1; shared < each; shared++) {
            int heavy = shared * ranks + 1;
            double lightest = all - sums[costs.length - (each - shared - 1)];
            bound = Math.max(bound, sums[heavy] - sums[heavy - shared - 1] + lightest);
        }
        return bound;
    }

    /**
     * Returns a load that the slowest rank has at least in a step, if each micro-batch has one row of each rank and the sum of the slowest
     * ranks of the micro-batches is the smallest possible: each micro-batch has the heaviest rows that are left.
     *
     * @param costs the costs of the rows, in any order
     * @param ranks the number of ranks, which divides the number of rows
     */
    static double fastMicroBatches(double[] costs, int ranks) {
        double[] sums = sumsOfHeaviest(costs);
        double all = sums[costs.length];
        double bound = all / ranks;
        for (int heavyFrom = 0; heavyFrom < costs.length; heavyFrom += ranks) {
            for (int lightFrom = 0; lightFrom < costs.length; lightFrom += ranks) {
                // The lightest rows of one micro-batch are on as many ranks, which have as many heavy rows of the other
                // one.
                for (int hidden = 0; hidden < (heavyFrom == lightFrom ? 1 : ranks); hidden++) {
                    for (int heavy = 1; heavy + hidden <= ranks; heavy++) {
                        double rows = sums[heavyFrom + hidden + heavy] - sums[heavyFrom + hidden];
                        for (int from = 0; from < costs.length; from += ranks) {
                            int end = from + ranks - (from == lightFrom ? hidden : 0);
                            rows += from == heavyFrom ? 0 : sums[end] - sums[end - heavy];
                        }
                        bound = Math.max(bound, rows / heavy);
                    }
                }
            }
            for (int light = 1; light < ranks; light++) {
                double rows = all;
                for (int from = 0; from < costs.length; from += ranks) {
                    rows -= from == heavyFrom
                            ? sums[from + ranks] - sums[from + ranks - light]
                            : sums[from + light] - sums[from];
                }
                bound = Math.max(bound, rows / (ranks - light));
            }
        }
        return bound;
    }

    /** Returns, for each number of rows, the sum of that many heaviest ones. */
    private static double[] sumsOfHeaviest(double[] costs) {
        double[] sorted = costs.clone();
        Arrays.sort(sorted);
        double[] sums = new double[costs.length + 1];
        for (int row = 0; row < costs.length; row++) {
            sums[row + 1] = sums[row] + sorted[costs.length - 1 - row];
        }
        return sums;
    }
}
