package io.millrace.order;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/**
 * The search for the training rows in which a run uses a sample. Where each round of a dataset has each sample once, the search
 * computes the places from the order, and takes microseconds for each use; where rows are rearranged in windows, it also arranges the window of
 * each use. In any other order, it looks at every place.
 *
 * @param plan the division of the run into steps
 * @param order the order of the run
 */
public record SampleUses(BatchPlan plan, Order order) {
    /**
     * Finds the rows that hold a sample.
     *
     * @param sample the dataset of the sample, and its index there
     * @param first the first step to search, 0 or more
     * @param last the last step to search, less than {@code plan().steps()}
     * @param found receives the position of each use, in ascending order
     */
    public void find(Sources.Place sample, long first, long last, LongConsumer found) {
        find(sample.source(), Long.MAX_VALUE, round -> new long[] {sample.index()}, first, last, found);
    }

    /**
     * Finds the rows that hold one of several samples, which may be others in each round of their dataset.
     *
     * @param source the number of the dataset
     * @param round the number of samples of a round, where the order numbers samples over all rounds; otherwise any larger number
     * @param samples returns the different indexes of the samples in a round
     * @param first the first step to search, 0 or more
     * @param last the last step to search, less than {@code plan().steps()}
     * @param found receives the position of each use, in ascending order
     */
    public void find(int source, long round, IntFunction<long[]> samples, long first, long last, LongConsumer found) {
        long rows = plan.trainSamples();
        find(order, new Wanted(source, round, samples), place(first), place(last + 1), place -> {
            int epoch = Math.toIntExact(place / rows);
            found.accept(Math.addExact(plan.epochStart(epoch), place % rows));
        });
    }

    private record Wanted(int source, long size, IntFunction<long[]> samples) {
        boolean has(Order.Pick pick) {
            if (pick.source() != source) {
                return false;
            }
            int round = Math.toIntExact(pick.round() + pick.index() / size);
            return LongStream.of(samples.apply(round)).anyMatch(index -> index == pick.index() % size);
        }
    }

    /** Returns the number of training rows before a step. */
    private long place(long step) {
        long epoch = step / plan.stepsPerEpoch();
        return Math.addExact(
                Math.multiplyExact(epoch, plan.trainSamples()), step % plan.stepsPerEpoch() * plan.batch());
    }

    /** Finds a sample at the places of an order from {@code from} to {@code to}, which is excluded. */
    private void find(Order within, Wanted sample, long from, long to, LongConsumer found) {
        if (within instanceof SkippingOrder skipping) {
            findSkipping(skipping, sample, from, to, found);
        } else if (within instanceof EpochOrder single) {
            findSingle(single, sample, from, to, found);
        } else if (within instanceof MixtureOrder mixture) {
            findMixed(mixture, sample, from, to, found);
        } else if (within instanceof RearrangedOrder rearranged && hasWholeWindows(rearranged)) {
            findRearranged(rearranged, sample, from, to, found);
        } else {
            long rows = plan.trainSamples();
            for (long place = from; place < to; place++) {
                Order.Pick pick = within.at(Math.toIntExact(place / rows), place % rows);
                if (sample.has(pick)) {
                    found.accept(place);
                }
            }
        }
    }

    /** Returns whether a window has no place that the run leaves out at the end of an epoch. */
    private boolean hasWholeWindows(RearrangedOrder rearranged) {
        return rearranged.size() == plan.trainSamples() || plan.trainSamples() % rearranged.window() == 0;
    }

    /** Finds the sample in the steps of the whole order that the run does not leave out. */
    private void findSkipping(SkippingOrder skipping, Wanted sample, long from, long to, LongConsumer found) {
        if (from == to) {
            return;
        }
        SkippedSteps skipped = skipping.skipped();
        int batch = skipping.batch();
        long first = skipped.inPlan(from / batch);
        long last = skipped.inPlan((to - 1) / batch);
        find(skipping.whole(), sample, first * batch, (last + 1) * batch, place -> {
            long step = skipped.inRun(place / batch);
            if (skipped.inPlan(step) == place / batch) {
                found.accept(step * batch + place % batch);
            }
        });
    }

    private void findSingle(EpochOrder single, Wanted sample, long from, long to, LongConsumer found) {
        long rows = plan.trainSamples();
        for (long epoch = from / rows; epoch * rows < to; epoch++) {
            int round = Math.toIntExact(epoch);
            long begin = epoch * rows;
            LongStream.of(sample.samples.apply(round))
                    .map(index -> single.place(round, index))
                    .filter(i -> i < rows) // the rest of an epoch without full batches is not used
                    .map(i -> begin + i)
                    .filter(place -> place >= from && place < to)
                    .sorted()
                    .forEach(found);
        }
    }

    private static void findMixed(MixtureOrder order, Wanted sample, long from, long to, LongConsumer found) {
        Mixture mixture = order.mixture();
        EpochOrder own = order.order(sample.source);
        long first = mixture.counts(from)[sample.source];
        long end = mixture.counts(to)[sample.source];
        long size = Math.min(own.size(), sample.size);
        for (long round = first / Math.max(1, size); round * size < end; round++) {
            int number = Math.toIntExact(round);
            LongStream.of(sample.samples.apply(number))
                    .map(index -> number * size + own.place(number, index))
                    .filter(count -> count >= first && count < end)
                    .map(count -> place(mixture, sample.source, count, from, to))
                    .sorted()
                    .forEach(found);
        }
    }

    /** Finds the sample in the original order, in whole windows, and then its places in the windows. */
    private void findRearranged(RearrangedOrder rearranged, Wanted sample, long from, long to, LongConsumer found) {
        if (from == to) {
            return;
        }
        long rows = plan.trainSamples();
        int window = rearranged.window();
        long last = to - 1;
        long begin = from - from % rows % window;
        long end = Math.min(last - last % rows % window + window, last - last % rows + rows);
        List<Long> places = new ArrayList<>();
        find(rearranged.original(), sample, begin, end, place -> {
            long epoch = place / rows;
            places.add(epoch * rows + rearranged.place(Math.toIntExact(epoch), place % rows));
        });
        places.stream().sorted().filter(place -> place >= from && place < to).forEach(found::accept);
    }

    /** Returns the position at which a source gives the sample after its first {@code count} ones. */
    private static long place(Mixture mixture, int source, long count, long from, long to) {
        long before = from; // the source has given at most count samples before it
        long after = to; // and more than count before this one
        while (after - before > 1) {
            long middle = before + (after - before) / 2;
            if (mixture.counts(middle)[source] <= count) {
                before = middle;
            } else {
                after = middle;
            }
        }
        return before;
    }
}
