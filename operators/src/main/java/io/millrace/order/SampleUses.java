package io.millrace.order;

import java.util.function.LongConsumer;

/**
 * The search for the training rows in which a run uses a sample. Where each round of a dataset has each sample once, the search
 * computes the places from the order, and takes microseconds for each use. In any other order, it looks at every place.
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
        long rows = plan.trainSamples();
        find(order, sample, place(first), place(last + 1), place -> {
            int epoch = Math.toIntExact(place / rows);
            found.accept(Math.addExact(plan.epochStart(epoch), place % rows));
        });
    }

    /** Returns the number of training rows before a step. */
    private long place(long step) {
        long epoch = step / plan.stepsPerEpoch();
        return Math.addExact(
                Math.multiplyExact(epoch, plan.trainSamples()), step % plan.stepsPerEpoch() * plan.batch());
    }

    /** Finds a sample at the places of an order from {@code from} to {@code to}, which is excluded. */
    private void find(Order within, Sources.Place sample, long from, long to, LongConsumer found) {
        if (within instanceof SkippingOrder skipping) {
            findSkipping(skipping, sample, from, to, found);
        } else if (within instanceof EpochOrder single) {
            findSingle(single, sample.index(), from, to, found);
        } else if (within instanceof MixtureOrder mixture) {
            findMixed(mixture, sample, from, to, found);
        } else {
            long rows = plan.trainSamples();
            for (long place = from; place < to; place++) {
                Order.Pick pick = within.at(Math.toIntExact(place / rows), place % rows);
                if (pick.source() == sample.source() && pick.index() == sample.index()) {
                    found.accept(place);
                }
            }
        }
    }

    /** Finds the sample in the steps of the whole order that the run does not leave out. */
    private void findSkipping(SkippingOrder skipping, Sources.Place sample, long from, long to, LongConsumer found) {
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

    private void findSingle(EpochOrder single, long index, long from, long to, LongConsumer found) {
        long rows = plan.trainSamples();
        for (long epoch = from / rows; epoch * rows < to; epoch++) {
            long i = single.place(Math.toIntExact(epoch), index);
            long place = epoch * rows + i;
            if (i < rows && place >= from && place < to) { // the rest of an epoch without full batches is not used
                found.accept(place);
            }
        }
    }

    private static void findMixed(MixtureOrder order, Sources.Place sample, long from, long to, LongConsumer found) {
        Mixture mixture = order.mixture();
        EpochOrder own = order.order(sample.source());
        long first = mixture.counts(from)[sample.source()];
        long end = mixture.counts(to)[sample.source()];
        for (long round = first / Math.max(1, own.size()); round * own.size() < end; round++) {
            long count = round * own.size() + own.place(Math.toIntExact(round), sample.index());
            if (count >= first && count < end) {
                found.accept(place(mixture, sample.source(), count, from, to));
            }
        }
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
