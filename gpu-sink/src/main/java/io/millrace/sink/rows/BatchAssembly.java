package io.millrace.sink.rows;

import io.millrace.device.DeviceBatch;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The order in which the batches of a ring are filled, completed and released.
 *
 * <p>A batch gets an entry of the ring when its first row arrives. The entry is released when the batch has been
 * trained on, or when its client needs it no more; entries are released in any order. Of {@code n} entries of which
 * {@code t} are taken and not released, the batches from {@link #next} to {@code next + n - t - 1} can get an entry.
 * The caller parks rows of later batches. Only the {@link DeviceBatch} records which rows of a batch have arrived. The
 * class does not use Flink and is not thread-safe.
 *
 * <p><b>Later batches cannot starve the lowest incomplete one.</b> Let {@code m = n - t} be the number of entries that
 * are not taken. All batches that are being filled lie in {@code [next, next + m)}: a batch is begun only there, and the
 * interval loses none of its batches except {@code next} itself, because taking a batch moves {@code next} up by 1 and
 * {@code m} down by 1, a release moves {@code m} up, and a reset drops all batches that are being filled. If the lowest
 * batch {@code next} has no entry and {@code m > 0}, at most {@code m - 1} other batches of the interval have one, so
 * that an entry is free for it. If {@code m} is 0, all entries are taken, and the next release frees one.
 */
final class BatchAssembly {
    private final RankPlan plan;
    private final List<DeviceBatch> ring;

    /** The entries of the batches that are being filled, by the number of the batch. */
    private final Map<Long, DeviceBatch> filling = new TreeMap<>();

    /** The entries that were taken and not released, in the order in which they were taken. */
    private final Set<DeviceBatch> taken = new LinkedHashSet<>();

    /** Whether batches without rows are not complete yet, because the place to continue with may still change. */
    private boolean held;

    /** The lowest incomplete batch. Since the last reset, all batches before it have been taken. */
    private long next;

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
    }

    /** Returns whether the batch has a ring entry now, or gets one when its first row arrives. */
    boolean isInRing(long batch) {
        return batch < next + ring.size() - taken.size();
    }

    /** Returns whether the lowest incomplete batch is in the ring; if not, all entries are taken. */
    boolean nextIsInRing() {
        return isInRing(next);
    }

    /**
     * Returns the ring entry of an incomplete batch that {@linkplain #isInRing is in the ring}. Of the entries that no
     * batch uses, a batch {@code b} gets entry {@code b % n} if it can. Entries that are released in the order in which
     * they were taken are therefore used in the order of the ring.
     */
    DeviceBatch entry(long batch) {
        DeviceBatch begun = filling.get(batch);
        if (begun != null) {
            return begun;
        }
        DeviceBatch preferred = ring.get((int) (batch % ring.size()));
        if (isUnused(preferred)) {
            return preferred;
        }
        List<DeviceBatch> unused = ring.stream().filter(this::isUnused).toList();
        return unused.stream().filter(DeviceBatch::isFree).findFirst().orElseGet(() -> unused.get(0));
    }

    private boolean isUnused(DeviceBatch entry) {
        return !taken.contains(entry) && !filling.containsValue(entry);
    }

    /**
     * Returns whether rows may be copied to their places in the batch now. The engine may still work on the earlier
     * batch in the same ring entry. Copies to that entry then wait on the device, and all later copies wait behind
     * them. Therefore a batch is begun in such an entry only when no earlier batch has to be filled.
     */
    boolean canFill(long batch) {
        return isInRing(batch)
                && (batch <= next || filling.containsKey(batch) || entry(batch).isFree());
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
        if (!filling.containsKey(batch.number())) {
            begin(entry, batch);
            filling.put(batch.number(), entry);
        }
        return entry;
    }

    private static void begin(DeviceBatch entry, BatchPlan.Batch batch) {
        entry.begin(batch.number(), batch.step(), batch.epoch(), batch.split(), batch.rows());
    }

    /** Returns whether all rows of the next batch have arrived; a batch without rows is complete unless it is held. */
    boolean nextIsComplete() {
        if (!isInRing(next) || next >= plan.batches()) {
            return false;
        }
        DeviceBatch begun = filling.get(next);
        return begun != null
                ? begun.filling().isComplete()
                : !held && plan.batch(next).rows() == 0;
    }

    /** Removes the next batch, which must be complete, and returns its entry. It is not sealed. */
    DeviceBatch take() {
        if (!nextIsComplete()) {
            throw new IllegalStateException("batch " + next + " is not complete");
        }
        BatchPlan.Batch batch = plan.batch(next);
        DeviceBatch entry = entry(next);
        if (batch.rows() == 0) {
            begin(entry, batch);
        }
        filling.remove(next);
        taken.add(entry);
        next++;
        return entry;
    }

    /** Records that the oldest taken batch has been trained on, so that its ring entry may be filled again. */
    void trained() {
        if (taken.isEmpty()) {
            throw new IllegalStateException("batch " + next + " was not taken");
        }
        release(taken.iterator().next());
    }

    /**
     * Records that a taken entry is needed no more, so that any batch may use it.
     *
     * @throws IllegalStateException when the entry was not taken, or was released already
     */
    void release(DeviceBatch entry) {
        if (!taken.remove(entry)) {
            throw new IllegalStateException("entry " + ring.indexOf(entry) + " of the ring is not taken");
        }
    }

    /**
     * Continues with another batch: drops all rows that have arrived. Entries that were taken and not released stay
     * taken. Batches without rows are held until {@link #open}.
     *
     * @param first the number of the batch that is completed next, lower or higher than {@link #next}
     * @throws IllegalArgumentException when the run has no such batch; the number after the last batch is allowed
     */
    void reset(long first) {
        if (first < 0 || first > plan.batches()) {
            throw new IllegalArgumentException(
                    "cannot continue with batch " + first + ": expected 0 to " + plan.batches());
        }
        filling.clear();
        next = first;
        held = true;
    }

    /** Holds batches without rows no longer. */
    void open() {
        held = false;
    }

    /** Returns whether an entry was taken and not released. */
    boolean isTaken(DeviceBatch entry) {
        return taken.contains(entry);
    }

    /** Returns the number of entries that were taken and not released. */
    int taken() {
        return taken.size();
    }

    /** Returns the entries of the batches that were taken and not released, then those of incomplete batches. */
    List<DeviceBatch> inUse() {
        return Stream.concat(taken.stream(), filling.values().stream()).toList();
    }

    /** Returns the lowest batch that has not been completed. */
    long next() {
        return next;
    }

    /** Returns the lowest batch that has not been released, taken or not. */
    long oldest() {
        return taken.stream().mapToLong(DeviceBatch::number).reduce(next, Math::min);
    }

    /**
     * Returns the positions of the lowest incomplete batch whose rows have not arrived, at most {@code limit} of them.
     */
    List<Long> awaited(int limit) {
        BatchPlan.Batch batch = plan.batch(next);
        DeviceBatch begun = filling.get(next);
        if (begun != null) {
            return begun.filling().awaited(limit).stream()
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
        return filling.values().stream()
                .mapToLong(entry -> entry.filling().arrived())
                .sum();
    }
}
