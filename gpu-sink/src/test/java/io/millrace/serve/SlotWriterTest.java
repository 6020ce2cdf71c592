package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import io.millrace.device.SlotDevice;
import io.millrace.device.SlotMemory;
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

class SlotWriterTest {
    private static final int ENTRIES = 9;

    @Property(tries = 60)
    void slotsContainTheirBatchesAsAnIndependentReaderFindsThem(
            @ForAll @IntRange(min = 1, max = 40) int capacity,
            @ForAll @IntRange(min = 2, max = 9) int slots,
            @ForAll long seed) {
        SlotLayout layout = SlotLayout.of(RandomBatch.SPEC, capacity);
        OwnSlots memory = new OwnSlots(slots, layout.slotBytes());
        Random random = new Random(seed);
        BatchPlan plan = new BatchPlan((long) slots * capacity * 3 / 2 + 1, capacity, false, 2, 0, 1);
        try (Handles handles = new Handles()) {
            SlotDevice device = handles.add(new SlotDevice(memory, layout.columnOffsets()));
            List<DeviceBatch> ring = new ArrayList<>();
            for (int slot = 0; slot < slots; slot++) {
                ring.add(handles.add(device.allocate(RandomBatch.SPEC, capacity)));
            }
            SlotWriter writer = new SlotWriter(layout, memory);
            // All slots are used twice, and all of them are filled before the first is read.
            for (int round = 0; round < 2; round++) {
                List<ObjectNode> expected = new ArrayList<>();
                for (int slot = 0; slot < slots; slot++) {
                    long number = Math.min(plan.batches() - 1, (long) round * slots + slot);
                    RandomBatch batch = new RandomBatch(RandomBatch.SPEC, plan.batch(number), ENTRIES, random);
                    batch.fill(ring.get(slot));
                    SlotContent content = writer.write(ring.get(slot), batch.planned(), slot, round + 1);
                    assertThat(content.isInSlot()).isTrue();
                    assertThat(content.slot()).isEqualTo(slot);
                    assertThat(content.bytes()).isBetween(layout.fixedBytes(), layout.slotBytes());
                    expected.add(batch.expected(round + 1, content.bytes()));
                    assertThat(SlotReader.read(sent(content), layout.fields())).isEqualTo(expected.get(slot));
                }
                for (int slot = 0; slot < slots; slot++) {
                    assertThat(SlotReader.read(bytes(memory, slot), layout.fields()))
                            .isEqualTo(expected.get(slot));
                }
            }
        }
    }

    @Property(tries = 40)
    void batchThatDoesNotFitItsSlotIsSentInline(@ForAll @IntRange(min = 1, max = 20) int capacity, @ForAll long seed)
            throws IOException {
        SlotLayout layout = SlotLayout.of(RandomBatch.SPEC, capacity);
        OwnSlots memory = new OwnSlots(2, layout.fixedBytes());
        BatchPlan plan = new BatchPlan(capacity, capacity, false, 1, 0, 1);
        try (SlotDevice device = new SlotDevice(memory, layout.columnOffsets());
                DeviceBatch batch = device.allocate(RandomBatch.SPEC, capacity)) {
            RandomBatch rows = new RandomBatch(RandomBatch.SPEC, plan.batch(0), ENTRIES, new Random(seed));
            rows.fill(batch);
            SlotContent content = new SlotWriter(layout, memory).write(batch, rows.planned(), 0, 3);
            long entries = batch.wireBytes(1) + batch.wireBytes(3) + batch.wireBytes(4) - 3L * batch.rows() * 4;
            assertThat(content.isInSlot()).isEqualTo(entries == 0);
            assertThat(content.bytes()).isBetween(layout.fixedBytes() + entries, layout.fixedBytes() + entries + 192);
            assertThat(SlotReader.read(sent(content), layout.fields())).isEqualTo(rows.expected(3, content.bytes()));
        }
    }

    @Test
    void rowsOfOneLengthAreWrittenToTheSlotWhenTheyArrive() {
        BatchSpec spec = new BatchSpec(List.of(new BatchSpec.Column("x", DType.UINT8, List.of(8))));
        SlotLayout layout = SlotLayout.of(spec, 2);
        OwnSlots memory = new OwnSlots(2, layout.slotBytes());
        try (SlotDevice device = new SlotDevice(memory, layout.columnOffsets());
                DeviceBatch first = device.allocate(spec, 2);
                DeviceBatch second = device.allocate(spec, 2);
                OwnSlots row = new OwnSlots(1, 8)) {
            MemoryUtil.putLong(row.address(0), 0x1122334455667788L);
            BatchPlan.Batch planned = new BatchPlan(2, 2, false, 1, 0, 1).batch(0);
            second.begin(0, 0, 0, planned.split(), 2);
            second.filling().put(0, 1, row.address(0));
            assertThat(bytes(memory, 1).getLong((int) (layout.field("x").offset() + 8)))
                    .isEqualTo(0x1122334455667788L);
            assertThat(first.capacity()).isEqualTo(2);
            assertThatThrownBy(() -> device.allocate(spec, 2))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("all 2 slots have a batch");
        }
    }

    @Test
    void closedSlotsAreNotWritten() {
        SlotLayout layout = SlotLayout.of(RandomBatch.SPEC, 2);
        OwnSlots memory = new OwnSlots(2, layout.slotBytes());
        SlotDevice device = new SlotDevice(memory, layout.columnOffsets());
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
        SlotLayout layout = SlotLayout.of(RandomBatch.SPEC, 2);
        OwnSlots memory = new OwnSlots(2, layout.slotBytes());
        BatchPlan plan = new BatchPlan(4, 2, false, 1, 0, 1);
        try (SlotDevice device = new SlotDevice(memory, layout.columnOffsets());
                DeviceBatch batch = device.allocate(RandomBatch.SPEC, 2)) {
            new RandomBatch(RandomBatch.SPEC, plan.batch(0), ENTRIES, new Random(1)).fill(batch);
            assertThatThrownBy(() -> new SlotWriter(layout, memory).write(batch, plan.batch(1), 0, 1))
                    .hasMessage("batch 0 with the plan of batch 1");
        }
    }

    @Test
    void slotsThatAreSmallerThanTheFixedPartAreRefused() {
        SlotLayout layout = SlotLayout.of(RandomBatch.SPEC, 2);
        try (OwnSlots memory = new OwnSlots(2, layout.fixedBytes() - 64)) {
            assertThatThrownBy(() -> new SlotWriter(layout, memory))
                    .hasMessage("slots of " + (layout.fixedBytes() - 64) + " bytes: expected at least "
                            + layout.fixedBytes() + " bytes");
            SlotDevice device = new SlotDevice(memory, layout.columnOffsets());
            assertThatThrownBy(() -> device.allocate(RandomBatch.SPEC, 9))
                    .hasMessageContaining("expected a multiple of 64 within the slot");
        }
    }

    private static ByteBuffer sent(SlotContent content) {
        try {
            ByteArrayOutputStream sent = new ByteArrayOutputStream();
            content.sendTo(Channels.newChannel(sent));
            assertThat(sent.size()).isEqualTo((int) content.bytes());
            return ByteBuffer.wrap(sent.toByteArray());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static ByteBuffer bytes(SlotMemory memory, int slot) {
        return MemoryUtil.directBuffer(memory.address(slot), (int) memory.slotBytes())
                .order(ByteOrder.nativeOrder());
    }
}
