package io.millrace.sink;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.PackLimits;
import io.millrace.batch.RowStore;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.sample.Failure;
import io.millrace.train.TrainSpecException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where rows become batches: a ring of preallocated batches, filled in any order and taken whole in order, and the rows
 * that came before their batch had a place in it. Knows nothing of Flink; the task's thread alone calls.
 */
final class BatchRing implements AutoCloseable {
    /** Rows in a checkpoint come in pieces of this many bytes: large enough for speed, small enough for a heap. */
    private static final PackLimits PIECES = PackLimits.ofRows(1 << 16);

    private static final int MOST_TOLD = 5;

    private final RankPlan plan;
    private final BatchSpec rows;
    private final Device device = new HostDevice();
    private final DeviceBatch[] ring;
    private final BatchAssembly assembly;
    private final ParkedRows parked = new ParkedRows();
    private long mostWaitingRows;
    private long mostParkedBytes;

    /**
     * Takes memory for so many batches.
     *
     * @param slots at least 2
     * @param first the number of the first batch; all rows of those before it have been trained on
     * @throws TrainSpecException when the batches are too large
     */
    BatchRing(RankPlan plan, BatchSpec rows, int slots, long first) {
        this.plan = plan;
        this.rows = rows;
        this.assembly = new BatchAssembly(plan, slots, first);
        this.ring = new DeviceBatch[slots];
        try {
            for (int i = 0; i < slots; i++) {
                ring[i] = device.allocate(rows, plan.batch());
            }
        } catch (IllegalArgumentException e) {
            close();
            throw new TrainSpecException(
                    "a batch of " + plan.batch() + " rows is too large: " + e.getMessage()
                            + ". Set a smaller batch.size",
                    e);
        } catch (RuntimeException | OutOfMemoryError e) {
            close();
            throw e;
        }
    }

    /** Puts the rows at their places, or parks them. Takes ownership, also when it fails. */
    void accept(MicroBatch microBatch) {
        List<Integer> parkedRows = new ArrayList<>();
        List<Long> parkedBatches = new ArrayList<>();
        try {
            for (int row = 0; row < microBatch.rows(); row++) {
                long batch = plan.batchNumber(microBatch.position(row));
                if (assembly.hasSlot(batch)) {
                    place(microBatch, row, batch);
                } else {
                    parkedRows.add(row);
                    parkedBatches.add(batch);
                }
            }
        } catch (Throwable e) {
            microBatch.close();
            throw e;
        }
        parked.park(microBatch, parkedRows, parkedBatches);
        mostWaitingRows = Math.max(mostWaitingRows, waitingRows());
        mostParkedBytes = Math.max(mostParkedBytes, parked.bytes());
    }

    private void place(MicroBatch microBatch, int row, long number) {
        BatchPlan.Batch batch = plan.batch(number);
        long position = microBatch.position(row);
        int place = Math.toIntExact(position - batch.firstPosition());
        DeviceBatch target = ring[assembly.slot(number)];
        if (assembly.arrive(number, place)) {
            begin(target, batch);
        }
        Failure bad = microBatch.failure(row);
        if (bad != null) {
            target.miss(place, position, microBatch.index(row), bad);
            return;
        }
        for (int column = 0; column < rows.columns().size(); column++) {
            target.put(column, place, microBatch.address(column, row), microBatch.bytes(column, row));
        }
        target.place(place, position, microBatch.index(row), microBatch.label(row));
    }

    private static void begin(DeviceBatch target, BatchPlan.Batch batch) {
        target.begin(batch.number(), batch.step(), batch.epoch(), batch.split(), batch.rows());
    }

    /** Takes the next batch in order when it is whole, not sealed; null when it is not. */
    @Nullable
    DeviceBatch takeWhole() {
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

    /** The oldest batch taken has been trained on: its slot is free, and rows that waited for it find their place. */
    void trained() {
        long freed = assembly.trained();
        for (ParkedRows.Row row : parked.unpark(freed)) {
            place(row.microBatch(), row.row(), freed);
            parked.release(row);
        }
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

    /** Frees the memory; no batch may be in training. */
    @Override
    public void close() {
        parked.close();
        for (DeviceBatch batch : ring) {
            if (batch != null) {
                batch.close();
            }
        }
        device.close();
    }
}
