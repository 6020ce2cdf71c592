package io.millrace.sequence;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The ratios of the slowest to the mean rank.
 *
 * @param microBatch the sum of the slowest ranks of all micro-batches by the sum of the mean ranks: the time of a step whose ranks wait for
 *     each other after each micro-batch, by the time without waits
 * @param worst the largest ratio of one micro-batch
 * @param step the ratio of the whole step, where ranks wait for each other at its end
 * @param worstStep the largest ratio of one step
 */
record WorkRatios(double microBatch, double worst, double step, double worstStep) {
    private static final int WINDOW = 16_384;

    static WorkRatios of(double[] costs, int[] places, int ranks, int microBatches) {
        int each = costs.length / ranks / microBatches;
        double[] totals = new double[ranks];
        double slowest = 0;
        double sum = 0;
        double worst = 1;
        for (int micro = 0; micro < microBatches; micro++) {
            double most = 0;
            double all = 0;
            for (int rank = 0; rank < ranks; rank++) {
                double load = 0;
                for (int i = 0; i < each; i++) {
                    load += costs[places[(rank * microBatches + micro) * each + i]];
                }
                totals[rank] += load;
                most = Math.max(most, load);
                all += load;
            }
            slowest += most;
            sum += all / ranks;
            worst = Math.max(worst, most / (all / ranks));
        }
        double heaviest = 0;
        for (double total : totals) {
            heaviest = Math.max(heaviest, total);
        }
        return new WorkRatios(slowest / sum, worst, heaviest / sum, heaviest / sum);
    }

    /**
     * Returns the mean ratios of some batches.
     *
     * @param batches the packs of each batch
     * @param arrangedBy the cost by which rows are arranged
     * @param measured the cost whose ratios are returned
     * @param arranged whether the rows are arranged, or keep their order
     */
    static WorkRatios simulate(
            List<List<List<Slice>>> batches,
            int ranks,
            int microBatches,
            SequenceCost arrangedBy,
            SequenceCost measured,
            boolean arranged) {
        int rows = batches.get(0).size();
        BalancedRows balanced = new BalancedRows(ranks, microBatches, rows, row -> 0);
        double microBatch = 0;
        double worst = 0;
        double step = 0;
        double worstStep = 0;
        for (List<List<Slice>> own : batches) {
            double[] by = own.stream().mapToDouble(arrangedBy::of).toArray();
            double[] costs = own.stream().mapToDouble(measured::of).toArray();
            int[] places =
                    arranged ? balanced.arrange(by) : IntStream.range(0, rows).toArray();
            WorkRatios ratios = of(costs, places, ranks, microBatches);
            microBatch += ratios.microBatch / batches.size();
            worst = Math.max(worst, ratios.worst);
            step += ratios.step / batches.size();
            worstStep = Math.max(worstStep, ratios.step);
        }
        return new WorkRatios(microBatch, worst, step, worstStep);
    }

    /** Returns the packs of some batches of made-up documents, in their shuffled order. */
    static List<List<List<Slice>>> batches(LengthSamples documents, int length, int rows, int count) {
        List<List<Slice>> packs = new ArrayList<>();
        for (int window = 0; packs.size() < rows * count; window++) {
            packs.addAll(window(documents, length, window));
        }
        return IntStream.range(0, count)
                .mapToObj(batch -> packs.subList(batch * rows, (batch + 1) * rows))
                .toList();
    }

    private static List<List<Slice>> window(LengthSamples documents, int length, int number) {
        int[] lengths = documents.lengths(WINDOW, number);
        PackRule rule = new PackRule(length, PackPolicy.BEST_FIT, WINDOW, Overlong.SPLIT);
        WindowPacks packs = new WindowPacker(rule).pack(lengths, WINDOW);
        var shuffle = WindowShuffle.within(42, 0, number, packs.size());
        return IntStream.range(0, packs.size())
                .mapToObj(pack -> packs.slices((int) shuffle.apply(pack), document -> document))
                .toList();
    }
}
