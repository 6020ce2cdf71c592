package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.MicroBatchMemory;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.sink.rows.BatchRing;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of every device: whatever the timing, the engine receives exactly the bytes of each batch that the
 * network delivered.
 */
abstract class TransferContract {
    private static final int ROWS = Integer.getInteger("transfer.rows", 1_000_000);
    private static final int BATCH = 96;
    private static final int SLOTS = 3;
    private static final long SEED = Long.getLong("transfer.seed", 20261122);

    /** Opens the device, and a source of its kind of memory for micro-batches. */
    abstract Device open();

    /** Checks after the run that no resource is open and that the device was used correctly. */
    abstract void check(long microBatches);

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void millionRowsReachTheEngineUnchangedAndAtTheirPlaces() throws Exception {
        BatchPlan plan = new BatchPlan(ROWS, BATCH, false, 1, 0, 1);
        BlockingQueue<DeviceBatch> given = new LinkedBlockingQueue<>();
        BlockingQueue<DeviceBatch> trained = new LinkedBlockingQueue<>();
        Random random = new Random(SEED);
        long microBatches = 0;
        try (BufferAllocator allocator = new RootAllocator();
                TransferRows rows = new TransferRows(allocator, plan)) {
            try (Device device = open();
                    BatchRing ring = new BatchRing(device, RankPlan.single(plan), TransferRows.SPEC, SLOTS, 0);
                    EngineReader engine = new EngineReader(device, plan, given, trained, new Random(SEED + 1))) {
                CompletableFuture<Long> seen = engine.start();
                List<int[]> pieces = new ArrayList<>();
                for (int first = 0; first < ROWS; ) {
                    int count = Math.min(ROWS - first, 1 + random.nextInt(300));
                    pieces.add(new int[] {first, count});
                    first += count;
                    if (pieces.size() == 6 || first == ROWS) {
                        Collections.shuffle(pieces, random);
                        for (int[] piece : pieces) {
                            ring.accept(rows.microBatch(piece[0], piece[1], random));
                            microBatches++;
                            submit(ring, given);
                            retire(ring, given, trained, seen);
                        }
                        pieces.clear();
                    }
                }
                while (ring.next() < plan.batches() || ring.inTraining() > 0) {
                    await(trained, seen);
                    ring.trained();
                    submit(ring, given);
                }
                given.add(engine.end());
                assertThat(seen.get()).isEqualTo(ROWS - rows.bad());
            }
        }
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
        check(microBatches);
    }

    private static void submit(BatchRing ring, BlockingQueue<DeviceBatch> given) {
        for (DeviceBatch whole = ring.takeComplete(); whole != null; whole = ring.takeComplete()) {
            whole.seal();
            given.add(whole);
        }
    }

    /**
     * Records trained batches as the operator does. When all batches of the ring are in training, waits for one of
     * them.
     */
    private static void retire(
            BatchRing ring,
            BlockingQueue<DeviceBatch> given,
            BlockingQueue<DeviceBatch> trained,
            CompletableFuture<Long> seen)
            throws Exception {
        for (DeviceBatch batch = trained.poll(); batch != null || ring.isFull(); batch = trained.poll()) {
            if (batch == null) {
                await(trained, seen);
            }
            ring.trained();
            submit(ring, given);
        }
    }

    /** Waits for a batch that was trained on. Throws the failure of the engine's thread, if there is one. */
    private static void await(BlockingQueue<DeviceBatch> trained, CompletableFuture<Long> seen) throws Exception {
        while (trained.poll(100, TimeUnit.MILLISECONDS) == null) {
            if (seen.isCompletedExceptionally()) {
                seen.get();
            }
        }
    }
}
