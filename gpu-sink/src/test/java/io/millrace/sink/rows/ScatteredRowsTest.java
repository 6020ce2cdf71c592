package io.millrace.sink.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.batch.PackLimits;
import io.millrace.batch.Packer;
import io.millrace.batch.RowStore;
import io.millrace.device.AlignedMemory;
import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.StubDriver;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sink.ReceivedRows;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The number of copies for rows that arrive in no order, as behind rebalanced stages, counted by a driver without a GPU. */
@ExtendWith(StubDriver.Needed.class)
class ScatteredRowsTest {
    private static final int COLUMNS = 40;
    private static final int ROWS = 500;
    private static final int EIGHTH = (ROWS + 7) / 8;
    private static final BatchSpec SPEC = new BatchSpec(IntStream.range(0, COLUMNS)
            .mapToObj(column -> new BatchSpec.Column("x" + column, DType.FLOAT32, List.of()))
            .toList());
    private static final RankPlan PLAN = RankPlan.single(new BatchPlan(2 * ROWS, ROWS, false, 1, 0, 1));

    private static float value(int column, long position) {
        return column * 10_000f + position;
    }

    /** Returns rows as the network delivers them: in a received micro-batch with memory of its own. */
    private static MicroBatch rows(List<Long> positions) throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                Packer packer = new Packer(allocator, SPEC, PackLimits.ofRows(positions.size()))) {
            for (long position : positions) {
                Sample sample = new Sample(position, "k" + position, 0).placeAt(position, 0, Split.TRAIN);
                for (int column = 0; column < COLUMNS; column++) {
                    ByteBuffer bytes = ByteBuffer.allocate(Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
                    sample.put(
                            "x" + column,
                            Field.of(
                                    DType.FLOAT32,
                                    new int[0],
                                    bytes.putFloat(value(column, position)).array()));
                }
                packer.add(sample);
            }
            return ReceivedRows.of(SPEC, packer);
        }
    }

    /** Returns the first {@code count} positions of the batch after a shuffle, in micro-batches of one to eight rows. */
    private static List<List<Long>> scattered(int count, Random random) {
        List<Long> positions = new ArrayList<>(LongStream.range(0, ROWS).boxed().toList());
        Collections.shuffle(positions, random);
        List<List<Long>> pieces = new ArrayList<>();
        for (int from = 0; from < count; ) {
            int to = Math.min(count, from + 1 + random.nextInt(8));
            pieces.add(positions.subList(from, to));
            from = to;
        }
        return pieces;
    }

    private static void assertHolds(Device device, DeviceBatch batch) {
        try (AlignedMemory found = device.pageLocked(ROWS * Float.BYTES, "what the device has")) {
            for (int column = 0; column < COLUMNS; column++) {
                batch.memory(column).read(0, found.address(), ROWS * Float.BYTES);
                for (int row = 0; row < ROWS; row++) {
                    assertThat(found.buffer().getFloat(row * Float.BYTES)).isEqualTo(value(column, row));
                }
            }
        }
    }

    @Test
    void aBatchNeedsAFewCopiesOfEachColumnHoweverItsRowsArrive() throws Exception {
        StubDriver driver = StubDriver.fresh();
        try (CudaDevice device = CudaDevice.open(0);
                BatchRing ring = new BatchRing(device, PLAN, SPEC, 2, 0)) {
            long before = driver.pinnedCopies() + driver.pageableCopies();
            for (List<Long> piece : scattered(ROWS, new Random(1))) {
                ring.accept(rows(piece));
            }
            DeviceBatch batch = Objects.requireNonNull(ring.takeComplete());
            batch.seal();

            assertThat(driver.pinnedCopies() + driver.pageableCopies() - before)
                    .as("one for each column, and one for the labels")
                    .isEqualTo(COLUMNS + 1);
            device.copies().synchronize();
            assertHolds(device, batch);
        }
        driver.assertClean("after the batch");
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    @Test
    void aPieceOfAnEighthIsCopiedWhenItArrives() throws Exception {
        StubDriver driver = StubDriver.fresh();
        try (CudaDevice device = CudaDevice.open(0);
                BatchRing ring = new BatchRing(device, PLAN, SPEC, 2, 0)) {
            long before = driver.pinnedCopies() + driver.pageableCopies();
            ring.accept(rows(LongStream.range(0, EIGHTH).boxed().toList()));
            assertThat(driver.pinnedCopies() + driver.pageableCopies() - before).isEqualTo(COLUMNS);
            ring.accept(rows(LongStream.range(EIGHTH, 2 * EIGHTH - 1).boxed().toList()));
            assertThat(driver.pinnedCopies() + driver.pageableCopies() - before).isEqualTo(COLUMNS);
        }
        driver.assertClean("after the batch");
    }

    @Test
    void aCheckpointCopiesFewTimesForEachColumnAndTheRowsContinueInAnotherRun() throws Exception {
        StubDriver driver = StubDriver.fresh();
        List<byte[]> pieces;
        List<List<Long>> arrived = scattered(ROWS - 40, new Random(2));
        try (CudaDevice device = CudaDevice.open(0);
                BatchRing ring = new BatchRing(device, PLAN, SPEC, 2, 0)) {
            List<Long> direct = LongStream.range(3 * EIGHTH, 4 * EIGHTH).boxed().toList();
            ring.accept(rows(direct));
            for (List<Long> piece : arrived) {
                List<Long> others = piece.stream()
                        .filter(position -> !direct.contains(position))
                        .toList();
                if (!others.isEmpty()) {
                    ring.accept(rows(others));
                }
            }
            long pageable = driver.pageableCopies();
            long first = driver.pinnedCopies();
            pieces = ring.waiting();
            long second = driver.pinnedCopies();
            List<byte[]> again = ring.waiting();

            assertThat(second - first).as("the piece that is on the device").isEqualTo(COLUMNS);
            assertThat(driver.pinnedCopies() - second).isEqualTo(COLUMNS);
            assertThat(driver.pageableCopies()).isEqualTo(pageable);
            assertThat(again).usingRecursiveComparison().isEqualTo(pieces);
        }
        try (CudaDevice device = CudaDevice.open(0);
                BatchRing ring = new BatchRing(device, PLAN, SPEC, 2, 0)) {
            for (byte[] piece : pieces) {
                ring.accept(RowStore.read(SPEC, piece));
            }
            List<Long> missing =
                    new ArrayList<>(LongStream.range(0, ROWS).boxed().toList());
            missing.removeAll(LongStream.range(3 * EIGHTH, 4 * EIGHTH).boxed().toList());
            arrived.forEach(missing::removeAll);
            ring.accept(rows(missing));
            DeviceBatch batch = Objects.requireNonNull(ring.takeComplete());
            batch.seal();
            device.copies().synchronize();
            assertHolds(device, batch);
        }
        driver.assertClean("after both runs");
    }
}
