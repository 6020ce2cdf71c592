package io.millrace.sink.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.batch.PackLimits;
import io.millrace.batch.Packer;
import io.millrace.device.BufferDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.serve.BufferLayout;
import io.millrace.serve.BufferWriter;
import io.millrace.serve.OwnBuffers;
import io.millrace.sink.ReceivedRows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Batches in buffers, which a client returns in any order, and seeks. */
class BufferRingTest {
    private static final int MOST_EARLIER = 3;
    private static final BatchSpec ROWS = new BatchSpec(List.of(new BatchSpec.Column("x", DType.INT64, List.of())));

    @Property(tries = 250)
    void everyBatchIsDeliveredInOrderWhateverTheClientKeepsAndSeeks(
            @ForAll @IntRange(min = 1, max = 50) int size,
            @ForAll @IntRange(min = 1, max = 7) int batch,
            @ForAll @IntRange(min = 2, max = 6) int buffers,
            @ForAll @IntRange(min = 1, max = 60) int window,
            @ForAll @IntRange(min = 0, max = 4) int seeks,
            @ForAll long seed)
            throws Exception {
        RankPlan plan = RankPlan.single(new BatchPlan(size, batch, false, 2, 0, 1));
        try (Client client = new Client(plan, buffers, window, new Random(seed))) {
            client.run(seeks);
        }
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    /** A source, a ring and a client that keeps and returns buffers at random. */
    private static final class Client implements AutoCloseable {
        private final RankPlan plan;
        private final Random random;
        private final int window;
        private final BufferLayout layout;
        private final OwnBuffers memory;
        private final BufferDevice device;
        private final BatchRing ring;
        private final BufferWriter writer;

        /** The bytes of the buffers that the client keeps. */
        private final Map<Integer, List<Long>> kept = new HashMap<>();

        private List<Long> source = List.of();
        private int sent;
        private int generation;
        private long next;

        Client(RankPlan plan, int buffers, int window, Random random) {
            this.plan = plan;
            this.random = random;
            this.window = window;
            this.layout = BufferLayout.of(ROWS, plan.batch());
            this.memory = new OwnBuffers(buffers, layout.bufferBytes());
            this.device = new BufferDevice(memory, layout.columnOffsets());
            this.ring = new BatchRing(device, plan, ROWS, buffers, 0);
            this.writer = new BufferWriter(layout, memory);
        }

        void run(int seeks) throws Exception {
            int left = seeks;
            seek(0);
            while (next < plan.batches() || left > 0) {
                if (left > 0 && (random.nextInt(20) == 0 || next == plan.batches())) {
                    left--;
                    seek(random.nextInt((int) plan.batches() + 1));
                } else if (random.nextBoolean() && sent < source.size() && !ring.isFull()) {
                    int end = Math.min(source.size(), sent + 1 + random.nextInt(9));
                    ring.accept(rows(source.subList(sent, end)));
                    sent = end;
                } else if (!receive()) {
                    boolean hasRoom = kept.size() < memory.buffers();
                    assertThat(hasRoom && sent == source.size() && next < plan.batches())
                            .as("all rows have arrived and an entry is free, but batch " + next + " is not delivered")
                            .isFalse();
                    assertThat(kept.isEmpty() && ring.isFull())
                            .as("the client keeps no buffer, but batch " + next + " has no entry")
                            .isFalse();
                    returnOne();
                }
            }
            while (!kept.isEmpty()) {
                returnOne();
            }
            assertThat(ring.inTraining()).isZero();
            assertThat(ring.parkedRows()).isZero();
            assertThat(ring.waitingRows()).isZero();
        }

        private void seek(long step) {
            generation++;
            next = step;
            ring.reset(step);
            List<Long> positions = new ArrayList<>();
            long first = Math.max(0, step - random.nextInt(MOST_EARLIER + 1)); // another rank needs earlier batches
            for (long number = first; number < plan.batches(); number++) {
                BatchPlan.Batch planned = plan.batch(number);
                for (int row = 0; row < planned.rows(); row++) {
                    positions.add(planned.firstPosition() + row);
                }
            }
            for (int i = 0; i < positions.size(); i++) {
                Collections.swap(positions, i, Math.min(positions.size() - 1, i + random.nextInt(window)));
            }
            source = positions;
            sent = 0;
        }

        private boolean receive() {
            @Nullable DeviceBatch batch = ring.takeComplete();
            if (batch == null) {
                return false;
            }
            assertThat(batch.number()).isEqualTo(next);
            batch.seal();
            int buffer = ring.entry(batch);
            assertThat(kept).as("buffers that the client has not returned").doesNotContainKey(buffer);
            BatchPlan.Batch planned = plan.batch(next);
            writer.write(batch, planned, buffer, generation);
            List<Long> expected = new ArrayList<>();
            for (int row = 0; row < planned.rows(); row++) {
                if (!isBad(planned.firstPosition() + row)) {
                    expected.add(value(planned.firstPosition() + row));
                }
            }
            assertThat(values(buffer)).isEqualTo(expected);
            kept.put(buffer, contents(buffer));
            next++;
            return true;
        }

        private void returnOne() {
            if (kept.isEmpty()) {
                return;
            }
            int buffer = new ArrayList<>(kept.keySet()).get(random.nextInt(kept.size()));
            assertThat(contents(buffer))
                    .as("buffer " + buffer + " while the client kept it")
                    .isEqualTo(kept.remove(buffer));
            ring.release(buffer);
            assertThatThrownBy(() -> ring.release(buffer)).hasMessage("entry " + buffer + " of the ring is not taken");
        }

        private List<Long> values(int buffer) {
            int rows = MemoryUtil.getInt(memory.address(buffer) + 20);
            return longs(memory.address(buffer) + layout.columnOffsets().get(0), rows);
        }

        private List<Long> contents(int buffer) {
            return longs(memory.address(buffer), (int) memory.bufferBytes() / Long.BYTES);
        }

        private static List<Long> longs(long address, int count) {
            List<Long> longs = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                longs.add(MemoryUtil.getLong(address + (long) i * Long.BYTES));
            }
            return longs;
        }

        @Override
        public void close() {
            ring.close();
            device.close();
        }
    }

    @Test
    void seekDropsRowsThatHaveArrivedAndKeepsTakenBuffers() throws Exception {
        RankPlan plan = RankPlan.single(new BatchPlan(8, 2, false, 1, 0, 1));
        try (BufferDevice device = device(plan, 2);
                BatchRing ring = new BatchRing(device, plan, ROWS, 2, 0)) {
            ring.accept(rows(List.of(0L, 1L, 2L, 4L)));
            DeviceBatch kept = Objects.requireNonNull(ring.takeComplete());
            ring.accept(rows(List.of(6L)));
            assertThat(ring.waitingRows()).isEqualTo(3);

            ring.reset(0);
            assertThat(ring.waitingRows()).isZero();
            assertThat(ring.parkedBytes()).isZero();
            assertThat(ring.inTraining()).isEqualTo(1);
            assertThat(MicroBatchMemory.allocatedBytes())
                    .as("the parked micro-batch is closed")
                    .isZero();

            ring.accept(rows(List.of(0L, 1L, 2L, 3L)));
            DeviceBatch again = Objects.requireNonNull(ring.takeComplete());
            assertThat(again).isNotSameAs(kept);
            assertThat(again.number()).isEqualTo(kept.number());
            assertThat(ring.takeComplete()).as("the client keeps both buffers").isNull();
            assertThat(ring.isFull()).isTrue();
            ring.release(ring.entry(again));
            assertThat(ring.takeComplete()).isSameAs(again);
        }
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    @Test
    void buffersThatTheClientDoesNotHaveAreRefused() throws Exception {
        RankPlan plan = RankPlan.single(new BatchPlan(8, 2, false, 1, 0, 1));
        try (BufferDevice device = device(plan, 3);
                BatchRing ring = new BatchRing(device, plan, ROWS, 3, 0)) {
            ring.accept(rows(List.of(0L)));
            assertThatThrownBy(() -> ring.release(0)).hasMessage("entry 0 of the ring is not taken");
            assertThatThrownBy(() -> ring.release(3)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> ring.release(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void seekToABatchThatTheRunLacksIsRefused() {
        RankPlan plan = RankPlan.single(new BatchPlan(8, 2, false, 1, 0, 1));
        try (BufferDevice device = device(plan, 2);
                BatchRing ring = new BatchRing(device, plan, ROWS, 2, 0)) {
            ring.reset(4);
            assertThatThrownBy(() -> ring.reset(5))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("cannot continue with batch 5: expected 0 to 4");
            assertThatThrownBy(() -> ring.reset(-1)).isInstanceOf(IllegalArgumentException.class);
            assertThat(ring.takeComplete()).isNull();
        }
    }

    private static BufferDevice device(RankPlan plan, int buffers) {
        BufferLayout layout = BufferLayout.of(ROWS, plan.batch());
        return new BufferDevice(new OwnBuffers(buffers, layout.bufferBytes()), layout.columnOffsets());
    }

    private static long value(long position) {
        return position * 1_000_003 + 17;
    }

    private static boolean isBad(long position) {
        return position % 11 == 7;
    }

    /** Returns rows as the network delivers them: in a received micro-batch with memory of its own. */
    private static MicroBatch rows(List<Long> positions) throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                Packer packer = new Packer(allocator, ROWS, PackLimits.ofRows(positions.size()))) {
            for (long position : positions) {
                Sample sample = new Sample(position, "k" + position, position).placeAt(position, 0, Split.TRAIN);
                if (isBad(position)) {
                    sample.quarantine(new BadSample("read", "d", "f", 0, "bad"));
                } else {
                    byte[] bytes = new byte[Long.BYTES];
                    for (int i = 0; i < bytes.length; i++) {
                        bytes[i] = (byte) (value(position) >>> (8 * i));
                    }
                    sample.put("x", Field.of(DType.INT64, new int[] {}, bytes));
                }
                packer.add(sample);
            }
            return ReceivedRows.of(ROWS, packer);
        }
    }
}
