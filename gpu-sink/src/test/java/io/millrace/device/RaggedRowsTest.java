package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Split;
import java.io.ByteArrayOutputStream;
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

class RaggedRowsTest {
    private static final int ENTRY_BYTES = 8;
    private static final BatchSpec SPEC = new BatchSpec(List.of(
            new BatchSpec.Column("image", DType.UINT8, List.of(2)),
            new BatchSpec.Column("boxes", DType.INT16, List.of(4), FieldKind.RAGGED, Form.RAGGED)));

    @Property(tries = 100)
    void presentRowsLieInOrderWhicheverArrivedFirst(
            @ForAll @Size(min = 1, max = 12) List<@IntRange(min = -1, max = 900) Integer> entries,
            @ForAll Random random) {
        try (DeviceBatch batch = new HostDevice().allocate(SPEC, 12)) {
            // The second batch uses memory with the bytes of the first.
            for (int round = 0; round < 2; round++) {
                List<byte[]> rows = fill(batch, entries, random);
                ByteArrayOutputStream expected = new ByteArrayOutputStream();
                rows.forEach(expected::writeBytes);
                byte[] found = new byte[batch.column(1).remaining()];
                batch.column(1).get(found);
                assertThat(found).isEqualTo(expected.toByteArray());
                long at = 0;
                assertThat(batch.offsets(1).remaining()).isEqualTo(rows.size() + 1);
                for (int row = 0; row < rows.size(); row++) {
                    assertThat(batch.offsets(1).get(row)).isEqualTo(at);
                    at += rows.get(row).length / ENTRY_BYTES;
                }
                assertThat(batch.offsets(1).get(rows.size())).isEqualTo(at);
                assertThat(batch.wireBytes()).isEqualTo(rows.size() * (2 + 4L) + found.length);
            }
        }
    }

    /** The rows themselves would need 2 GiB of memory. */
    @Test
    void rowThatABatchHasNoRoomForIsNamedByItsSample() {
        RaggedRows.requireRoom("column 'x' of a batch of 8 rows", Integer.MAX_VALUE - 5, 5, 17);
        assertThatThrownBy(
                        () -> RaggedRows.requireRoom("column 'x' of a batch of 8 rows", Integer.MAX_VALUE - 5, 6, 17))
                .isInstanceOf(DeviceException.class)
                .hasMessage(
                        "the sample with index 17 has no room in column 'x' of a batch of 8 rows: its 6 bytes and the"
                                + " 2147483642 bytes of the rows before it are more than the 2147483647 bytes that a batch holds of"
                                + " one field. Set a smaller batch.size");
    }

    /**
     * Fills rows with these numbers of entries, where -1 stands for an absent row; returns the present rows in order.
     */
    private static List<byte[]> fill(DeviceBatch batch, List<Integer> entries, Random random) {
        batch.begin(0, 0, 0, Split.TRAIN, entries.size());
        byte[][] rows = new byte[entries.size()][];
        List<Integer> order = new ArrayList<>();
        for (int row = 0; row < rows.length; row++) {
            if (entries.get(row) >= 0) {
                rows[row] = new byte[entries.get(row) * ENTRY_BYTES];
                random.nextBytes(rows[row]);
                order.add(row);
            }
        }
        Collections.shuffle(order, random);
        for (int row : order) {
            try (AlignedMemory memory = AlignedMemory.allocate(rows[row].length + 2L, "a row")) {
                memory.buffer().put(0, rows[row]);
                batch.filling().put(1, row, memory.address(), rows[row].length);
                batch.filling().put(0, row, memory.address());
            }
            batch.filling().place(row, row, row, row);
        }
        batch.seal();
        return Arrays.stream(rows).filter(row -> row != null).toList();
    }

    @Test
    void columnWhoseRowsHaveOneLengthHasNoOffsets() {
        try (DeviceBatch batch = new HostDevice().allocate(SPEC, 1)) {
            batch.begin(0, 0, 0, Split.TRAIN, 0);
            batch.seal();
            assertThat(batch.offsets(1).get(0)).isZero();
            assertThatThrownBy(() -> batch.offsets(0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'image' is not ragged");
        }
    }
}
