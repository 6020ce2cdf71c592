package io.millrace.sink;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.PackLimits;
import io.millrace.batch.RowStore;
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
import org.jspecify.annotations.Nullable;

/**
 * Where rows become batches: a ring of preallocated batches, filled in any order and taken whole in order, and the rows
 * that came before their batch could be filled. Knows nothing of Flink; the task's thread alone calls.
 */
final class BatchRing implements AutoCloseable {
    /** Rows in a checkpoint come in pieces of this many bytes: large enough for speed, small enough for a heap. */
    private static final PackLimits PIECES = PackLimits.ofRows(1 << 16);

    private static final int MOST_TOLD = 5;

    private final RankPlan plan;
    private final BatchSpec rows;
    private final Device device;
    private final DeviceBatch[] ring;
    private final BatchAssembly assembly;
    private final PendingCopies sending;
    private final ParkedRows parked;
    private final Handles handles = new Handles();
    private long mostWaitingRows;
    private long mostParkedBytes;

    /**
     * Takes memory for so many batches.
     *
     * @param device where they live; the caller closes it after this
     * @param slots at least 2
     * @param first the number of the first batch; all rows of those before it have been trained on
     * @throws TrainSpecException when the batches are too large
     */
    BatchRing(Device device, RankPlan plan, BatchSpec rows, int slots, long first) {
        this.device = device;
        this.plan = plan;
        this.rows = rows;
        this.ring = new DeviceBatch[slots];
        this.assembly = handles.closeOnFailure(() -> new BatchAssembly(plan, slots, first));
        for (int i = 0; i < slots; i++) {
            ring[i] = handles.closeOnFailure(() -> handles.add(allocate(slots)));
        }
        this.sending = new PendingCopies(device);
        this.parked = handles.add(new ParkedRows(sending::closeWhenSent));
        handles.add(sending); // closed first: waits for the copies
    }

    private DeviceBatch allocate(int slots) {
        try {
            return device.allocate(rows, plan.batch());
        } catch (DeviceMemoryException e) {
            long bytes = (long) plan.batch() * rows.rowBytes();
            throw new TrainSpecException(
                    slots + " batches of " + plan.batch() + " rows, " + bytes + " bytes each and " + slots * bytes
                            + " in all, do not fit into the memory of " + device.told() + ": " + e.getMessage()
                            + ". Set a smaller batch.size or device.batches_in_flight, or free the device's memory",
                    e);
        } catch (IllegalArgumentException e) {
            throw new TrainSpecException(
                    "a batch of " + plan.batch() + " rows is too large: " + e.getMessage()
                            + ". Set a smaller batch.size",
                    e);
        }
    }

    /** Puts the rows at their places, or parks them. Takes ownership, also when it fails. */
    void accept(MicroBatch microBatch) {
        List<Integer> parkedRows = new ArrayList<>();
        List<Long> parkedBatches = new ArrayList<>();
        try {
            sending.closeSent();
            for (int row = 0; row < microBatch.rows(); ) {
                long batch = plan.batchNumber(microBatch.position(row));
                int count = neighbours(microBatch, row, batch);
                if (canFill(batch)) {
                    place(microBatch, row, count, batch);
                } else {
                    for (int i = 0; i < count; i++) {
                        parkedRows.add(row + i);
                        parkedBatches.add(batch);
                    }
                }
                row += count;
            }
        } catch (Throwable e) {
            try {
                sending.closeWhenSent(microBatch); // some of its rows may be on their way
            } catch (RuntimeException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        parked.park(microBatch, parkedRows, parkedBatches);
        mostWaitingRows = Math.max(mostWaitingRows, waitingRows());
        mostParkedBytes = Math.max(mostParkedBytes, parked.bytes());
    }

    /**
     * Whether rows may be copied to their places in that batch now. Its slot may have been handed over to the engine, which
     * is still at work on the batch before: copies wait for that on the device, and those behind them too. So a batch begins
     * in such a slot only when no other is to be filled before it.
     */
    private boolean canFill(long batch) {
        return assembly.hasSlot(batch)
                && (batch == assembly.next() || assembly.hasBegun(batch) || ring[assembly.slot(batch)].isFree());
    }

    /** Rows that waited find their places in batches that can be filled by now. */
    private void unpark() {
        for (long batch = assembly.next(); parked.size() > 0 && assembly.hasSlot(batch); batch++) {
            if (parked.has(batch) && canFill(batch)) {
                place(batch, parked.unpark(batch));
            }
        }
    }

    private void place(long batch, List<ParkedRows.Row> waited) {
        for (int at = 0; at < waited.size(); ) {
            ParkedRows.Row row = waited.get(at);
            // They were parked one after another, as they lie in their micro-batch.
            int count = neighbours(row.microBatch(), row.row(), batch);
            place(row.microBatch(), row.row(), count, batch);
            waited.subList(at, at + count).forEach(parked::release);
            at += count;
        }
    }

    /** How many rows from this one on go to places of the batch one after another, and so in one copy. */
    private int neighbours(MicroBatch microBatch, int row, long batch) {
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
        DeviceBatch target = ring[assembly.slot(number)];
        for (int i = 0; i < count; i++) {
            if (assembly.arrive(number, place + i)) {
                begin(target, batch);
            }
        }
        BadSample bad = microBatch.failure(row);
        if (bad != null) {
            target.miss(place, position, microBatch.index(row), bad);
        } else {
            target.put(place, microBatch, row, count);
        }
    }

    private static void begin(DeviceBatch target, BatchPlan.Batch batch) {
        target.begin(batch.number(), batch.step(), batch.epoch(), batch.split(), batch.rows());
    }

    /** Takes the next batch in order when it is whole, not sealed; null when it is not. */
    @Nullable
    DeviceBatch takeWhole() {
        unpark(); // not when the one before is taken: its last copies, as it is sealed, would wait behind these
        if (!assembly.nextIsWhole()) {
            return null;
        }
        BatchPlan.Batch batch = plan.batch(assembly.next());
        DeviceBatch whole = ring[assembly.slot(batch.number())];
        if (batch.rows() == 0) {
            begin(whole, batch);
        }
        assembly.take();
        return whole;
    }

    /** The oldest batch taken has been trained on, or its step asked for: its slot may be filled anew. */
    void trained() {
        sending.closeSent();
        assembly.trained();
        unpark();
    }

    /** Whether all slots are in training and rows are parked: what comes next would only be parked too. */
    boolean isFull() {
        return parked.size() > 0 && !assembly.nextHasSlot();
    }

    /** Batches taken and not yet trained on. */
    long inTraining() {
        return assembly.inTraining();
    }

    /** The lowest batch that is not whole. */
    long next() {
        return assembly.next();
    }

    /** The first positions that the lowest batch waits for; it is not beyond the run. */
    List<Long> awaited() {
        return assembly.awaited(MOST_TOLD);
    }

    /** The lowest batch that has not been trained on. */
    long oldest() {
        return assembly.next() - assembly.inTraining();
    }

    /** Rows that wait for the others of their batch, in slots or parked. */
    long waitingRows() {
        return assembly.waitingRows() + parked.size();
    }

    /** Rows that wait outside the ring. */
    long parkedRows() {
        return parked.size();
    }

    /** The bytes that rows outside the ring take, those of their neighbours in a micro-batch included. */
    long parkedBytes() {
        return parked.bytes();
    }

    /** The most rows that ever waited. */
    long mostWaitingRows() {
        return mostWaitingRows;
    }

    /** The most bytes that were ever taken outside the ring. */
    long mostParkedBytes() {
        return mostParkedBytes;
    }

    /**
     * A copy of all rows that wait, for {@link RowStore#read}; they stay. Batches that were taken and not trained on count
     * as waiting, and must not be sealed.
     */
    List<byte[]> waiting() throws IOException {
        if (waitingRows() == 0 && inTraining() == 0) {
            return List.of();
        }
        try (RowStore store = new RowStore(rows, PIECES)) {
            for (long batch = oldest(); assembly.hasSlot(batch); batch++) {
                if (batch < assembly.next() || assembly.hasBegun(batch)) {
                    for (RowStore.Row row : ring[assembly.slot(batch)].arrived()) {
                        store.add(row);
                    }
                }
            }
            for (RowStore.Row row : parked.rows()) {
                store.add(row);
            }
            return store.pieces();
        }
    }

    /** Waits for the copies and frees the memory; no batch may be in training. */
    @Override
    public void close() {
        handles.close();
    }
}
