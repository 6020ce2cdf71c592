package io.millrace.sink.rows;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.PackLimits;
import io.millrace.batch.RowStore;
import io.millrace.device.BatchFilling;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.DeviceMemoryException;
import io.millrace.lifecycle.Handles;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.sample.BadSample;
import io.millrace.train.spec.TrainSpecException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A ring of preallocated device batches. Rows arrive in any order and are copied to their places in the ring, or parked
 * until their batch can have a ring entry; complete batches are taken in order. Entries are released in any order: the
 * trainer releases the oldest, a client of {@code serve} any entry that it needs no more. The class does not use Flink.
 * Only the task's thread calls it.
 */
public final class BatchRing implements AutoCloseable {
    /**
     * The limits of the pieces in which a checkpoint stores waiting rows. They are large enough for speed and small
     * enough for the heap.
     */
    private static final PackLimits PIECE_LIMITS = PackLimits.ofRows(1 << 16);

    /** The largest number of awaited positions that an error message lists. */
    private static final int LISTED_POSITIONS = 5;

    private final RankPlan plan;
    private final BatchSpec rows;
    private final Device device;
    private final List<DeviceBatch> entries;
    private final BatchAssembly assembly;
    private final PendingCopies copies;
    private final ParkedRows parked;
    private final Handles handles = new Handles();
    private long mostWaitingRows;
    private long mostParkedBytes;

    /** The batch of the latest reset: the rows of earlier batches are dropped. */
    private long from = Long.MIN_VALUE;

    /**
     * Allocates the batches.
     *
     * @param device the device whose memory holds the batches; the caller closes it after the ring
     * @param size the number of batches in the ring, at least 2
     * @param first the number of the first batch; all batches before it have been trained on
     * @throws TrainSpecException when the batches do not fit into the device's memory
     */
    public BatchRing(Device device, RankPlan plan, BatchSpec rows, int size, long first) {
        this.device = device;
        this.plan = plan;
        this.rows = rows;
        this.entries = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            entries.add(handles.closeOnFailure(() -> handles.add(allocate(size))));
        }
        this.assembly = handles.closeOnFailure(() -> new BatchAssembly(plan, entries, first));
        this.copies = new PendingCopies(device);
        this.parked = handles.add(new ParkedRows(copies::closeWhenCopied));
        handles.add(copies); // closed first: waits for the copies
    }

    private DeviceBatch allocate(int size) {
        try {
            return device.allocate(rows, plan.batch());
        } catch (DeviceMemoryException e) {
            long bytes = (long) plan.batch() * rows.rowBytes();
            throw new TrainSpecException(
                    size + " batches of " + plan.batch() + " rows, " + bytes + " bytes each and " + size * bytes
                            + " in all, do not fit into the memory of " + device.describe() + ": " + e.getMessage()
                            + ". Set a smaller batch.size or device.batches_in_flight, or free the device's memory",
                    e);
        } catch (IllegalArgumentException e) {
            throw new TrainSpecException(
                    "a batch of " + plan.batch() + " rows is too large: " + e.getMessage()
                            + ". Set a smaller batch.size",
                    e);
        }
    }

    /** Copies the rows to their places, or parks them. Takes ownership of the micro-batch, even if the call fails. */
    public void accept(MicroBatch microBatch) {
        List<Integer> parkedRows = new ArrayList<>();
        List<Long> parkedBatches = new ArrayList<>();
        Handles onFailure = new Handles();
        onFailure.add(() -> copies.closeWhenCopied(microBatch)); // copies of some of its rows may be pending
        onFailure.closeOnFailure(() -> {
            copies.closeCopied();
            for (int row = 0; row < microBatch.rows(); ) {
                long batch = plan.batchNumber(microBatch.position(row));
                int count = consecutiveRows(microBatch, row, batch);
                if (batch >= from && assembly.canFill(batch)) {
                    place(microBatch, row, count, batch);
                } else if (batch >= from) {
                    for (int i = 0; i < count; i++) {
                        parkedRows.add(row + i);
                        parkedBatches.add(batch);
                    }
                }
                row += count;
            }
            return microBatch;
        });
        parked.park(microBatch, parkedRows, parkedBatches);
        mostWaitingRows = Math.max(mostWaitingRows, waitingRows());
        mostParkedBytes = Math.max(mostParkedBytes, parked.bytes());
    }

    /** Copies parked rows to their places in the batches that can be filled now. */
    private void unpark() {
        for (long batch = assembly.next(); parked.size() > 0 && assembly.isInRing(batch); batch++) {
            if (parked.has(batch) && assembly.canFill(batch)) {
                place(batch, parked.unpark(batch));
            }
        }
    }

    private void place(long batch, List<ParkedRows.Row> waited) {
        for (int at = 0; at < waited.size(); ) {
            ParkedRows.Row row = waited.get(at);
            // The rows of one micro-batch were parked in the order in which it contains them.
            int count = consecutiveRows(row.microBatch(), row.row(), batch);
            place(row.microBatch(), row.row(), count, batch);
            waited.subList(at, at + count).forEach(parked::release);
            at += count;
        }
    }

    /**
     * Returns the number of rows, beginning with {@code row}, that go to consecutive places of the batch. They need
     * only one copy.
     */
    private int consecutiveRows(MicroBatch microBatch, int row, long batch) {
        int count = 1;
        long position = microBatch.position(row);
        while (!microBatch.isQuarantined(row)
                && row + count < microBatch.rows()
                && !microBatch.isQuarantined(row + count)
                && microBatch.position(row + count) == position + count
                && plan.batchNumber(position + count) == batch) {
            count++;
        }
        return count;
    }

    private void place(MicroBatch microBatch, int row, int count, long number) {
        BatchPlan.Batch batch = plan.batch(number);
        long position = microBatch.position(row);
        int place = Math.toIntExact(position - batch.firstPosition());
        BatchFilling filling = assembly.fill(batch).filling();
        BadSample bad = microBatch.badSample(row);
        if (bad != null) {
            filling.quarantine(place, position, microBatch.index(row), bad);
        } else {
            filling.put(place, microBatch, row, count);
        }
    }

    /**
     * Removes and returns the next batch in order, which is not sealed; returns null when that batch is not complete.
     */
    @Nullable
    public DeviceBatch takeComplete() {
        unpark(); // not earlier: these copies would delay the last copies of the previous batch
        return assembly.nextIsComplete() ? assembly.take() : null;
    }

    /**
     * Records that the oldest taken batch has been trained on, or that its step was enqueued, so that its entry may be
     * filled again.
     */
    public void trained() {
        copies.closeCopied();
        assembly.trained();
        unpark();
    }

    /** Returns the place in the ring of a batch that {@link #takeComplete} returned, from 0. */
    public int entry(DeviceBatch taken) {
        return entries.indexOf(taken);
    }

    /** Returns whether an entry, by its place in the ring, is taken and not released. */
    boolean isTaken(int entry) {
        return assembly.isTaken(entries.get(entry));
    }

    /**
     * Records that a taken entry is needed no more, so that any batch may be filled there. Entries are released in any
     * order.
     *
     * @param entry its place in the ring
     * @throws IllegalStateException when the entry is not taken
     * @throws IndexOutOfBoundsException when the ring has no such entry
     */
    void release(int entry) {
        copies.closeCopied();
        assembly.release(entries.get(Objects.checkIndex(entry, entries.size())));
        unpark();
    }

    /**
     * Continues with another batch. Drops all rows that have arrived, parked ones included, except those of taken
     * batches: their entries stay taken until they are released. From now on, rows of earlier batches are dropped, and
     * batches without rows are held until {@link #open}.
     *
     * @param next the number of the batch, lower or higher than {@link #next}, at most the number of batches of the run
     * @throws IllegalArgumentException when the run has no such batch
     */
    public void reset(long next) {
        assembly.reset(next);
        parked.drop();
        from = next;
    }

    /** Takes the rows from now on as those of the batches from {@link #next} on. Until then, batches without rows are held. */
    public void open() {
        assembly.open();
    }

    /** Returns the time in which calls have waited for a simulated device to finish a batch, in nanoseconds. */
    long blockedNanos() {
        return device.reuseWaitNanos();
    }

    /** Returns whether all batches are taken and rows are parked. Further rows would be parked, too. */
    public boolean isFull() {
        return parked.size() > 0 && !assembly.nextIsInRing();
    }

    /** Returns the number of batches that were taken and not yet trained on or released. */
    public int inTraining() {
        return assembly.taken();
    }

    /** Returns the lowest batch that is not complete. */
    public long next() {
        return assembly.next();
    }

    /** Returns the first positions that the lowest incomplete batch waits for. That batch must be part of the run. */
    List<Long> awaited() {
        return assembly.awaited(LISTED_POSITIONS);
    }

    /** Returns the lowest batch that has not been trained on or released. */
    long oldest() {
        return assembly.oldest();
    }

    /** Returns the number of rows, in the ring or parked, that wait for other rows of their batch. */
    long waitingRows() {
        return assembly.waitingRows() + parked.size();
    }

    /** Returns the number of parked rows. */
    public long parkedRows() {
        return parked.size();
    }

    /** Returns the bytes of all micro-batches that have a parked row. */
    long parkedBytes() {
        return parked.bytes();
    }

    /** Returns the largest number of rows that have waited at the same time. */
    long mostWaitingRows() {
        return mostWaitingRows;
    }

    /** Returns the largest number of bytes that parked rows have held at the same time. */
    long mostParkedBytes() {
        return mostParkedBytes;
    }

    /**
     * Copies all rows that wait, for {@link RowStore#read}; the rows stay in the ring. Rows of batches that were taken
     * and not trained on are included; such batches must not be sealed.
     */
    public List<byte[]> waiting() throws IOException {
        if (waitingRows() == 0 && inTraining() == 0) {
            return List.of();
        }
        try (RowStore store = new RowStore(rows, PIECE_LIMITS)) {
            for (DeviceBatch entry : assembly.inUse()) {
                for (RowStore.Row row : entry.filling().arrivedRows()) {
                    store.add(row);
                }
            }
            for (RowStore.Row row : parked.rows()) {
                store.add(row);
            }
            return store.pieces();
        }
    }

    /** Waits for the copies and frees the memory; nothing may use a taken batch any more. */
    @Override
    public void close() {
        handles.close();
    }
}
