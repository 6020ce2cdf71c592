package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.batch.BatchSpec;
import io.millrace.device.BufferDevice;
import io.millrace.device.BufferMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.order.BatchPlan;
import io.millrace.sample.DType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.arrow.memory.util.MemoryUtil;
import org.junit.jupiter.api.Test;

class BufferWriterTest {
    private static final int ENTRIES = 9;

    @Property(tries = 60)
    void buffersContainTheirBatchesAsAnIndependentReaderFindsThem(
            @ForAll @IntRange(min = 1, max = 40) int capacity,
            @ForAll @IntRange(min = 2, max = 9) int buffers,
            @ForAll long seed) {
        BufferLayout layout = BufferLayout.of(RandomBatch.SPEC, capacity);
        OwnBuffers memory = new OwnBuffers(buffers, layout.bufferBytes());
        Random random = new Random(seed);
        BatchPlan plan = new BatchPlan((long) buffers * capacity * 3 / 2 + 1, capacity, false, 2, 0, 1);
        try (Handles handles = new Handles()) {
            BufferDevice device = handles.add(new BufferDevice(memory, layout.columnOffsets()));
            List<DeviceBatch> ring = new ArrayList<>();
            for (int buffer = 0; buffer < buffers; buffer++) {
                ring.add(handles.add(device.allocate(RandomBatch.SPEC, capacity)));
            }
            BufferWriter writer = new BufferWriter(layout, memory);
            // All buffers are used twice, and all of them are filled before the first is read.
            for (int round = 0; round < 2; round++) {
                List<ObjectNode> expected = new ArrayList<>();
                for (int buffer = 0; buffer < buffers; buffer++) {
                    long number = Math.min(plan.batches() - 1, (long) round * buffers + buffer);
                    RandomBatch batch = new RandomBatch(RandomBatch.SPEC, plan.batch(number), ENTRIES, random);
                    batch.fill(ring.get(buffer));
                    BufferContent content = writer.write(ring.get(buffer), batch.planned(), buffer, round + 1);
                    assertThat(content.isInBuffer()).isTrue();
                    assertThat(content.buffer()).isEqualTo(buffer);
                    assertThat(content.bytes()).isBetween(layout.fixedBytes(), layout.bufferBytes());
                    expected.add(batch.expected(round + 1, content.bytes()));
                    assertThat(BufferReader.read(sent(content), layout.fields()))
                            .isEqualTo(expected.get(buffer));
                }
                for (int buffer = 0; buffer < buffers; buffer++) {
                    assertThat(BufferReader.read(bytes(memory, buffer), layout.fields()))
                            .isEqualTo(expected.get(buffer));
                }
            }
        }
    }

    @Property(tries = 40)
    void batchThatDoesNotFitItsBufferIsSentInline(@ForAll @IntRange(min = 1, max = 20) int capacity, @ForAll long seed)
            throws IOException {
        BufferLayout layout = BufferLayout.of(RandomBatch.SPEC, capacity);
        OwnBuffers memory = new OwnBuffers(2, layout.fixedBytes());
        BatchPlan plan = new BatchPlan(capacity, capacity, false, 1, 0, 1);
        try (BufferDevice device = new BufferDevice(memory, layout.columnOffsets());
                DeviceBatch batch = device.allocate(RandomBatch.SPEC, capacity)) {
            RandomBatch rows = new RandomBatch(RandomBatch.SPEC, plan.batch(0), ENTRIES, new Random(seed));
            rows.fill(batch);
            BufferContent content = new BufferWriter(layout, memory).write(batch, rows.planned(), 0, 3);
            long entries = batch.wireBytes(1) + batch.wireBytes(3) + batch.wireBytes(4) - 3L * batch.rows() * 4;
            assertThat(content.isInBuffer()).isEqualTo(entries == 0);
            assertThat(content.bytes()).isBetween(layout.fixedBytes() + entries, layout.fixedBytes() + entries + 192);
            assertThat(BufferReader.read(sent(content), layout.fields())).isEqualTo(rows.expected(3, content.bytes()));
        }
    }

    @Test
    void rowsOfOneLengthAreWrittenToTheBufferWhenTheyArrive() {
        BatchSpec spec = new BatchSpec(List.of(new BatchSpec.Column("x", DType.UINT8, List.of(8))));
        BufferLayout layout = BufferLayout.of(spec, 2);
        OwnBuffers memory = new OwnBuffers(2, layout.bufferBytes());
        try (BufferDevice device = new BufferDevice(memory, layout.columnOffsets());
                DeviceBatch first = device.allocate(spec, 2);
                DeviceBatch second = device.allocate(spec, 2);
                OwnBuffers row = new OwnBuffers(1, 8)) {
            MemoryUtil.putLong(row.address(0), 0x1122334455667788L);
            BatchPlan.Batch planned = new BatchPlan(2, 2, false, 1, 0, 1).batch(0);
            second.begin(0, 0, 0, planned.split(), 2);
            second.filling().put(0, 1, row.address(0));
            assertThat(bytes(memory, 1).getLong((int) (layout.field("x").offset() + 8)))
                    .isEqualTo(0x1122334455667788L);
            assertThat(first.capacity()).isEqualTo(2);
            assertThatThrownBy(() -> device.allocate(spec, 2))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("all 2 buffers have a batch");
        }
    }

    @Test
    void closedBuffersAreNotWritten() {
        BufferLayout layout = BufferLayout.of(RandomBatch.SPEC, 2);
        OwnBuffers memory = new OwnBuffers(2, layout.bufferBytes());
        BufferDevice device = new BufferDevice(memory, layout.columnOffsets());
        DeviceBatch batch = device.allocate(RandomBatch.SPEC, 2);
        RandomBatch rows =
                new RandomBatch(RandomBatch.SPEC, new BatchPlan(2, 2, false, 1, 0, 1).batch(0), ENTRIES, new Random(3));
        batch.close();
        device.close();
        assertThatThrownBy(() -> memory.address(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> rows.fill(batch)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void planOfAnotherBatchIsRefused() {
        BufferLayout layout = BufferLayout.of(RandomBatch.SPEC, 2);
        OwnBuffers memory = new OwnBuffers(2, layout.bufferBytes());
        BatchPlan plan = new BatchPlan(4, 2, false, 1, 0, 1);
        try (BufferDevice device = new BufferDevice(memory, layout.columnOffsets());
                DeviceBatch batch = device.allocate(RandomBatch.SPEC, 2)) {
            new RandomBatch(RandomBatch.SPEC, plan.batch(0), ENTRIES, new Random(1)).fill(batch);
            assertThatThrownBy(() -> new BufferWriter(layout, memory).write(batch, plan.batch(1), 0, 1))
                    .hasMessage("batch 0 with the plan of batch 1");
        }
    }

    @Test
    void buffersThatAreSmallerThanTheFixedPartAreRefused() {
        BufferLayout layout = BufferLayout.of(RandomBatch.SPEC, 2);
        try (OwnBuffers memory = new OwnBuffers(2, layout.fixedBytes() - 64)) {
            assertThatThrownBy(() -> new BufferWriter(layout, memory))
                    .hasMessage("buffers of " + (layout.fixedBytes() - 64) + " bytes: expected at least "
                            + layout.fixedBytes() + " bytes");
            BufferDevice device = new BufferDevice(memory, layout.columnOffsets());
            assertThatThrownBy(() -> device.allocate(RandomBatch.SPEC, 9))
                    .hasMessageContaining("expected a multiple of 64 within the buffer");
        }
    }

    private static ByteBuffer sent(BufferContent content) {
        try {
            ByteArrayOutputStream sent = new ByteArrayOutputStream();
            content.sendTo(Channels.newChannel(sent));
            assertThat(sent.size()).isEqualTo((int) content.bytes());
            return ByteBuffer.wrap(sent.toByteArray());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static ByteBuffer bytes(BufferMemory memory, int buffer) {
        return MemoryUtil.directBuffer(memory.address(buffer), (int) memory.bufferBytes())
                .order(ByteOrder.nativeOrder());
    }
}
