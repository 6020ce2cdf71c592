package io.millrace.sink;

import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which batch and row a sample belongs to, which batches may be filled, and which are whole.
 *
 * <p>Batches are filled in a ring of slots: batch {@code b} uses slot {@code b % slots} once batch {@code b - slots} has
 * been trained on. Rows that come before their slot is free are for the caller to park. A pure state machine; one thread
 * calls.
 */
final class BatchAssembly {
    private final RankPlan plan;
    private final int slots;
    private final BitSet[] arrived;

    /** The lowest batch that is not whole: all before it have been taken. */
    private long next;

    /** The lowest batch that has not been trained on: its slot is the oldest in use. */
    private long oldest;

    /**
     * Begins at a batch.
     *
     * @param slots batches that can be filled or trained on at a time, at least 2
     * @param first the number of the first batch to assemble
     */
    BatchAssembly(RankPlan plan, int slots, long first) {
        if (slots < 2) {
            throw new IllegalArgumentException("a ring needs at least 2 slots, found " + slots);
        }
        this.plan = plan;
        this.slots = slots;
        this.arrived = new BitSet[slots];
        for (int i = 0; i < slots; i++) {
            arrived[i] = new BitSet();
        }
        this.next = first;
        this.oldest = first;
    }

    /** Whether the batch may be filled now. */
    boolean hasSlot(long batch) {
        return batch < oldest + slots;
    }

    /** Whether the lowest batch that is not whole may be filled; if not, all slots are in training. */
    boolean nextHasSlot() {
        return hasSlot(next);
    }

    /** The slot of a batch that {@linkplain #hasSlot has one}. */
    int slot(long batch) {
        return (int) (batch % slots);
    }

    /**
     * Notes that a row of a batch with a slot has come, as pixels or as a quarantined sample.
     *
     * @return whether it is the batch's first row
     * @throws IllegalStateException when that row came before
     */
    boolean arrive(long batch, int row) {
        BitSet rows = arrived[slot(batch)];
        if (batch < next || rows.get(row)) {
            throw new IllegalStateException("row " + row + " of batch " + batch + " arrived twice");
        }
        boolean first = rows.isEmpty();
        rows.set(row);
        return first;
    }

    /** Whether a row of a batch with a slot has come. */
    boolean hasBegun(long batch) {
        return !arrived[slot(batch)].isEmpty();
    }

    /** Whether the next batch in order is whole; one without rows always is. */
    boolean nextIsWhole() {
        return hasSlot(next)
                && next < plan.batches()
                && arrived[slot(next)].cardinality() == plan.batch(next).rows();
    }

    /** Takes the next batch in order, which must be whole; returns its number. */
    long take() {
        if (!nextIsWhole()) {
            throw new IllegalStateException("batch " + next + " is not whole");
        }
        arrived[slot(next)].clear();
        return next++;
    }

    /** Notes that the oldest taken batch has been trained on; returns the batch whose slot is free now. */
    long trained() {
        if (oldest == next) {
            throw new IllegalStateException("batch " + oldest + " was not taken");
        }
        return oldest++ + slots;
    }

    /** Batches taken and not yet trained on. */
    long inTraining() {
        return next - oldest;
    }

    /** The lowest batch that is not whole. */
    long next() {
        return next;
    }

    /** Positions of the lowest batch that have not come, at most so many. */
    List<Long> awaited(int most) {
        BitSet rows = arrived[slot(next)];
        BatchPlan.Batch batch = plan.batch(next);
        return IntStream.range(0, batch.rows())
                .filter(row -> !rows.get(row))
                .limit(most)
                .mapToObj(row -> batch.firstPosition() + row)
                .toList();
    }

    /** Rows that have come for batches that are not whole, in slots. */
    long waitingRows() {
        long rows = 0;
        for (BitSet bits : arrived) {
            rows += bits.cardinality();
        }
        return rows;
    }
}
