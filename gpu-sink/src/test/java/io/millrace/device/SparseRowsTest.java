package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.batch.RowStore;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Split;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SparseRowsTest {
    private static final int ELEMENTS = 50;
    private static final int ENTRY_BYTES = 4 + 2;
    private static final BatchSpec SPEC = new BatchSpec(
            List.of(new BatchSpec.Column("rare", DType.INT16, List.of(10, 5), FieldKind.TENSOR, Form.SPARSE)));

    @Property(tries = 100)
    void presentRowsAreExpandedInOrder(
            @ForAll @Size(min = 1, max = 12) List<@IntRange(min = -1, max = ELEMENTS) Integer> entries,
            @ForAll Random random) {
        try (DeviceBatch batch = new HostDevice().allocate(SPEC, 12)) {
            // The second batch uses memory with the bytes of the first.
            for (int round = 0; round < 2; round++) {
                List<short[]> rows = fill(batch, entries, random);
                ByteBuffer expected =
                        ByteBuffer.allocate(rows.size() * ELEMENTS * 2).order(ByteOrder.nativeOrder());
                int at = 0;
                for (short[] row : rows) {
                    for (short value : row) {
                        expected.putShort(at, value);
                        at += Short.BYTES;
                    }
                }
                byte[] found = new byte[batch.column(0).remaining()];
                batch.column(0).get(found);
                assertThat(found).isEqualTo(expected.array());
                batch.column(0).get(found);
                assertThat(found).as("read again").isEqualTo(expected.array());
                long sent = batch.offsets(0).get(rows.size());
                assertThat(batch.wireBytes()).isEqualTo(rows.size() * 4L + sent * ENTRY_BYTES);
                assertThat(batch.wireBytes(0)).isEqualTo(batch.wireBytes());
            }
        }
    }

    @Test
    void waitingRowsAreStoredInWireForm() {
        try (DeviceBatch batch = new HostDevice().allocate(SPEC, 2);
                AlignedMemory copied = AlignedMemory.allocate(64, "a row")) {
            batch.begin(0, 0, 0, Split.TRAIN, 2);
            put(batch, 1, entry(7, (short) 300));
            RowStore.Row row = batch.filling().arrivedRows().get(0);
            assertThat(row.bytes(0)).isEqualTo(ENTRY_BYTES);
            row.copyTo(0, copied.address());
            assertThat(copied.buffer().getShort(4)).isEqualTo((short) 300);
        }
    }

    @Test
    void placeOutsideTheRowIsRefused() {
        try (DeviceBatch batch = new HostDevice().allocate(SPEC, 1)) {
            batch.begin(0, 0, 0, Split.TRAIN, 1);
            put(batch, 0, entry(ELEMENTS, (short) 1));
            batch.seal();
            assertThatIllegalStateException()
                    .isThrownBy(() -> batch.column(0))
                    .withMessageContaining("place 50: expected 0 to 49");
        }
    }

    private static byte[] entry(int place, short value) {
        return ByteBuffer.allocate(ENTRY_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(place)
                .putShort(value)
                .array();
    }

    private static void put(DeviceBatch batch, int row, byte[] entries) {
        try (AlignedMemory memory = AlignedMemory.allocate(entries.length + 1L, "a row")) {
            memory.buffer().put(0, entries);
            batch.filling().put(0, row, memory.address(), entries.length);
        }
        batch.filling().place(row, row, row, row);
    }

    /**
     * Fills rows with these numbers of entries, where -1 stands for an absent row; returns the present rows in order.
     */
    private static List<short[]> fill(DeviceBatch batch, List<Integer> entries, Random random) {
        batch.begin(0, 0, 0, Split.TRAIN, entries.size());
        short[][] rows = new short[entries.size()][];
        List<Integer> order = new ArrayList<>();
        for (int row = 0; row < rows.length; row++) {
            if (entries.get(row) >= 0) {
                order.add(row);
            }
        }
        Collections.shuffle(order, random);
        for (int row : order) {
            rows[row] = new short[ELEMENTS];
            List<Integer> places = new ArrayList<>();
            for (int place = 0; place < ELEMENTS; place++) {
                places.add(place);
            }
            Collections.shuffle(places, random);
            ByteBuffer sent =
                    ByteBuffer.allocate(entries.get(row) * ENTRY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            for (int place : places.subList(0, entries.get(row))) {
                rows[row][place] = (short) (1 + random.nextInt(30_000));
                sent.putInt(place).putShort(rows[row][place]);
            }
            put(batch, row, sent.array());
        }
        batch.seal();
        return Arrays.stream(rows).filter(row -> row != null).toList();
    }
}
