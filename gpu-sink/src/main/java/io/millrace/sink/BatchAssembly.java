package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The order in which the batches of a ring are filled, completed and trained on.
 *
 * <p>In a ring of {@code n} entries, batch {@code b} uses entry {@code b % n} after batch {@code b - n} has been
 * trained on. The caller parks rows that arrive earlier. Only the {@link DeviceBatch} records which rows of a batch
 * have arrived. The class does not use Flink and is not thread-safe.
 */
final class BatchAssembly {
    private final RankPlan plan;
    private final List<DeviceBatch> ring;

    /** The lowest incomplete batch. All batches before it have been taken. */
    private long next;

    /** The lowest batch that has not been trained on. It uses the oldest ring entry. */
    private long oldest;

    /**
     * Creates the order for an empty ring.
     *
     * @param ring the ring entries, at least 2; the caller owns them
     * @param first the number of the first batch
     */
    BatchAssembly(RankPlan plan, List<DeviceBatch> ring, long first) {
        if (ring.size() < 2) {
            throw new IllegalArgumentException("a ring needs at least 2 batches, found " + ring.size());
        }
        this.plan = plan;
        this.ring = List.copyOf(ring);
        this.next = first;
        this.oldest = first;
    }

    /** Returns whether the batch has a ring entry now. */
    boolean isInRing(long batch) {
        return batch < oldest + ring.size();
    }

    /** Returns whether the lowest incomplete batch has a ring entry; if not, all entries are in training. */
    boolean nextIsInRing() {
        return isInRing(next);
    }

    /** Returns the ring entry of a batch that {@linkplain #isInRing has one}. */
    DeviceBatch entry(long batch) {
        return ring.get((int) (batch % ring.size()));
    }

    /** Returns whether a batch in the ring is being filled: a row of it has arrived, and it is not sealed. */
    boolean hasBegun(long batch) {
        return entry(batch).isFilling(batch);
    }

    /**
     * Returns whether rows may be copied to their places in the batch now. The engine may still work on the earlier
     * batch in the same ring entry. Copies to that entry then wait on the device, and all later copies wait behind
     * them. Therefore a batch is begun in such an entry only when no earlier batch has to be filled.
     */
    boolean canFill(long batch) {
        return isInRing(batch)
                && (batch == next || hasBegun(batch) || entry(batch).isFree());
    }

    /**
     * Returns the ring entry of a batch that {@linkplain #canFill can be filled}, and begins the batch when this is its
     * first row.
     *
     * @throws IllegalStateException when all rows of the batch have arrived already
     */
    DeviceBatch fill(BatchPlan.Batch batch) {
        if (batch.number() < next) {
            throw new IllegalStateException(
                    "a row of batch " + batch.number() + " arrived after all rows of that batch had arrived");
        }
        DeviceBatch entry = entry(batch.number());
        if (!hasBegun(batch.number())) {
            begin(entry, batch);
        }
        return entry;
    }

    private static void begin(DeviceBatch entry, BatchPlan.Batch batch) {
        entry.begin(batch.number(), batch.step(), batch.epoch(), batch.split(), batch.rows());
    }

    /** Returns whether all rows of the next batch have arrived; a batch without rows is always complete. */
    boolean nextIsComplete() {
        if (!isInRing(next) || next >= plan.batches()) {
            return false;
        }
        return hasBegun(next)
                ? entry(next).filling().isComplete()
                : plan.batch(next).rows() == 0;
    }

    /** Removes the next batch, which must be complete, for training, and returns it. It is not sealed. */
    DeviceBatch take() {
        if (!nextIsComplete()) {
            throw new IllegalStateException("batch " + next + " is not complete");
        }
        BatchPlan.Batch batch = plan.batch(next);
        DeviceBatch taken = entry(next);
        if (batch.rows() == 0) {
            begin(taken, batch);
        }
        next++;
        return taken;
    }

    /** Records that the oldest taken batch has been trained on, so that its ring entry may be filled again. */
    void trained() {
        if (oldest == next) {
            throw new IllegalStateException("batch " + oldest + " was not taken");
        }
        oldest++;
    }

    /** Returns the number of batches that were taken and not yet trained on. */
    long inTraining() {
        return next - oldest;
    }

    /** Returns the lowest batch that has not been completed. */
    long next() {
        return next;
    }

    /** Returns the lowest batch that has not been trained on. */
    long oldest() {
        return oldest;
    }

    /**
     * Returns the positions of the lowest incomplete batch whose rows have not arrived, at most {@code limit} of them.
     */
    List<Long> awaited(int limit) {
        BatchPlan.Batch batch = plan.batch(next);
        if (isInRing(next) && hasBegun(next)) {
            return entry(next).filling().awaited(limit).stream()
                    .map(row -> batch.firstPosition() + row)
                    .toList();
        }
        return LongStream.range(0, batch.rows())
                .limit(limit)
                .map(row -> batch.firstPosition() + row)
                .boxed()
                .toList();
    }

    /** Returns the number of rows in the ring that belong to incomplete batches. */
    long waitingRows() {
        long rows = 0;
        for (long batch = next; isInRing(batch); batch++) {
            if (hasBegun(batch)) {
                rows += entry(batch).filling().arrived();
            }
        }
        return rows;
    }
}
