package io.millrace.order;

import java.io.IOException;
import java.util.Objects;

/**
 * An order that leaves out steps of another order. The other steps keep their samples and random numbers, and move forward, also over the
 * end of an epoch. So the run keeps the number and the length of its epochs, and ends with steps of what would follow.
 *
 * <p>Tested by {@code SkippedStepsTest}.
 *
 * @param whole the order without gaps
 * @param skipped the steps to leave out
 * @param rows the number of places of an epoch that the run uses: all of them, or with {@code drop_last} those of full batches
 * @param batch the number of samples of a step
 */
public record SkippingOrder(Order whole, SkippedSteps skipped, long rows, int batch) implements Order {
    /**
     * Checks the arguments.
     *
     * @throws IllegalArgumentException when a step of the order can have fewer samples than others; the message is a sentence
     */
    public SkippingOrder {
        if (rows % batch != 0) {
            throw new IllegalArgumentException(
                    "steps can be left out only where all have the same number of samples, but the "
                            + rows + " samples of an epoch are no multiple of the " + batch
                            + " of a batch: set batch.drop_last to true");
        }
    }

    @Override
    public long seed() {
        return whole.seed();
    }

    @Override
    public long size() {
        return whole.size();
    }

    @Override
    public Pick at(int epoch, long i) {
        long inPlan = inPlan(epoch, i);
        return whole.at(Math.toIntExact(inPlan / rows), inPlan % rows);
    }

    @Override
    public boolean await(int epoch, long i, long nanos) throws IOException {
        long inPlan = inPlan(epoch, i);
        return whole.await(Math.toIntExact(inPlan / rows), inPlan % rows, nanos);
    }

    private long inPlan(int epoch, long i) {
        Objects.checkIndex(i, rows);
        return inPlan(Math.addExact(Math.multiplyExact(epoch, rows), i));
    }

    @Override
    public int readRound(Pick pick) {
        return whole.readRound(pick);
    }

    @Override
    public long[] counts(long places) {
        // A gap behind the last place is left out, because the order may not know its end yet.
        long end = places == 0 ? 0 : inPlan(places - 1) + 1;
        long[] counts = whole.counts(end);
        for (SkippedSteps.Gap gap : skipped.gaps()) {
            if (gap.from() * batch < end) {
                long[] from = whole.counts(gap.from() * batch);
                long[] to = whole.counts(gap.to() * batch);
                for (int source = 0; source < counts.length; source++) {
                    counts[source] -= to[source] - from[source];
                }
            }
        }
        return counts;
    }

    /** Returns the place of the whole order for a place of this one, both counted over all epochs. */
    private long inPlan(long place) {
        return Math.addExact(Math.multiplyExact(skipped.inPlan(place / batch), batch), place % batch);
    }
}
