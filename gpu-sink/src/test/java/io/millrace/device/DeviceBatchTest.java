package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.BatchSpec;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Split;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.arrow.memory.util.MemoryUtil;
import org.junit.jupiter.api.Test;

class DeviceBatchTest {
    private static final int CAPACITY = 6;
    private static final BatchSpec SPEC = new BatchSpec(List.of(
            new BatchSpec.Column("image", DType.UINT8, List.of(1, 5, 1)),
            new BatchSpec.Column("mask", DType.FLOAT32, List.of(2))));

    private static final BadSample BAD = new BadSample("read", "d", "f", -1, "bad");

    private final HostDevice device = new HostDevice();

    @Test
    void rowsLieInOrderWhicheverArrivedFirst() {
        try (DeviceBatch batch = device.allocate(SPEC, CAPACITY)) {
            batch.begin(7, 5, 2, Split.EVALUATE, 3);
            fill(batch, List.of(2, 0, 1));
            batch.seal();
            assertThat(batch.number()).isEqualTo(7);
            assertThat(batch.step()).isEqualTo(5);
            assertThat(batch.epoch()).isEqualTo(2);
            assertThat(batch.split()).isEqualTo(Split.EVALUATE);
            assertHolds(batch, List.of(0, 1, 2));
        }
    }

    @Property(tries = 64)
    void sealingClosesGapsInOrderWhereverTheyAre(@ForAll @IntRange(max = (1 << CAPACITY) - 1) int presentBits) {
        List<Integer> present = new ArrayList<>();
        for (int row = 0; row < CAPACITY; row++) {
            if ((presentBits & 1 << row) != 0) {
                present.add(row);
            }
        }
        try (DeviceBatch batch = device.allocate(SPEC, CAPACITY)) {
            batch.begin(0, 0, 0, Split.TRAIN, CAPACITY);
            fill(batch, present);
            batch.seal();
            assertHolds(batch, present);
        }
    }

    @Test
    void batchWithoutPresentRowsIsEmpty() {
        try (DeviceBatch batch = device.allocate(SPEC, CAPACITY)) {
            batch.begin(0, 0, 0, Split.TRAIN, CAPACITY);
            batch.seal();
            assertThat(batch.rows()).isZero();
            assertThat(batch.labels().hasRemaining()).isFalse();
            assertThat(batch.column(0).hasRemaining()).isFalse();
        }
    }

    @Test
    void batchIsReusedWithoutTracesOfTheLastRows() {
        try (DeviceBatch batch = device.allocate(SPEC, CAPACITY)) {
            long image = MemoryUtil.getByteBufferAddress(sealed(batch, List.of(0, 1, 2, 3, 4, 5)));
            assertThat(MemoryUtil.getByteBufferAddress(sealed(batch, List.of(1, 4))))
                    .isEqualTo(image);
            assertHolds(batch, List.of(1, 4));
        }
    }

    @Test
    void columnsAndLabelsLieAtMultiplesOf64Bytes() {
        try (DeviceBatch batch = device.allocate(SPEC, 1)) {
            sealed(batch, List.of(0));
            assertThat(MemoryUtil.getByteBufferAddress(batch.column(0)) % 64).isZero();
            assertThat(MemoryUtil.getByteBufferAddress(batch.column(1)) % 64).isZero();
        }
    }

    @Test
    void rowThatArrivesTwiceIsRefused() {
        try (DeviceBatch batch = device.allocate(SPEC, CAPACITY)) {
            batch.begin(3, 0, 0, Split.TRAIN, CAPACITY);
            batch.filling().place(1, 1, 10, 0);
            assertThatThrownBy(() -> batch.filling().place(1, 2, 11, 0))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("row 1 of batch 3 arrived twice: samples 10 and 11");
            batch.filling().quarantine(2, 2, 12, BAD);
            assertThatThrownBy(() -> batch.filling().place(2, 2, 13, 0))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("row 2 of batch 3 arrived twice: samples 12 and 13");
            assertThatThrownBy(() -> batch.filling().quarantine(1, 1, 14, BAD))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("row 1 of batch 3 arrived twice: samples 10 and 14");
        }
    }

    @Test
    void arrivalsCountPresentAndQuarantinedRowsUntilTheBatchIsComplete() {
        try (DeviceBatch batch = device.allocate(SPEC, CAPACITY)) {
            batch.begin(0, 0, 0, Split.TRAIN, 3);
            batch.filling().place(2, 2, 12, 0);
            batch.filling().quarantine(0, 0, 10, BAD);
            assertThat(batch.filling().arrived()).isEqualTo(2);
            assertThat(batch.filling().present()).isEqualTo(1);
            assertThat(batch.filling().isComplete()).isFalse();
            assertThat(batch.filling().awaited(5)).containsExactly(1);
            batch.filling().quarantine(1, 1, 11, BAD);
            assertThat(batch.filling().isComplete()).isTrue();
            batch.seal();
            assertThat(batch.quarantinedIndexes()).containsExactly(10L, 11L);
        }
    }

    @Test
    void fillingBeforeTheBeginningOrAfterSealingIsRefused() {
        try (DeviceBatch batch = device.allocate(SPEC, CAPACITY)) {
            assertThatThrownBy(batch::filling)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the batch is IDLE, expected FILLING");
            batch.begin(0, 0, 0, Split.TRAIN, 0);
            batch.seal();
            assertThatThrownBy(batch::filling)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the batch is SEALED, expected FILLING");
        }
    }

    @Test
    void rowsOutsideTheBatchAreRefused() {
        try (DeviceBatch batch = device.allocate(SPEC, CAPACITY);
                AlignedMemory row = AlignedMemory.allocate(8, "a row")) {
            batch.begin(0, 0, 0, Split.TRAIN, 2);
            assertThatThrownBy(() -> batch.filling().put(0, 2, row.address()))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> batch.filling().place(-1, 0, 0, 0)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> batch.begin(0, 0, 0, Split.TRAIN, CAPACITY + 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("7 rows in memory for 6");
        }
    }

    @Test
    void readingBeforeSealingAndAfterClosingIsRefused() {
        DeviceBatch batch = device.allocate(SPEC, CAPACITY);
        batch.begin(0, 0, 0, Split.TRAIN, 1);
        assertThatThrownBy(() -> batch.column(0)).isInstanceOf(IllegalStateException.class);
        batch.close();
        batch.close();
        assertThatThrownBy(batch::rows)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("CLOSED");
    }

    @Test
    void oversizedBatchIsRefusedWithItsColumn() {
        BatchSpec wide = new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(2048, 2048, 3))));
        assertThatThrownBy(() -> device.allocate(wide, 1024))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'image'")
                .hasMessageContaining("1024 rows");
    }

    private static ByteBuffer sealed(DeviceBatch batch, List<Integer> present) {
        batch.begin(0, 0, 0, Split.TRAIN, batch.capacity());
        fill(batch, present);
        batch.seal();
        return batch.column(0);
    }

    /**
     * Fills rows whose values depend on the row: bytes are 10 row + place, floats row + place / 2, labels 100 + row.
     */
    private static void fill(DeviceBatch batch, List<Integer> rows) {
        assertThat(Set.copyOf(rows)).hasSize(rows.size());
        try (AlignedMemory image = AlignedMemory.allocate(5, "an image");
                AlignedMemory mask = AlignedMemory.allocate(8, "a mask")) {
            for (int row : rows) {
                for (int i = 0; i < 5; i++) {
                    image.buffer().put(i, (byte) (10 * row + i));
                }
                mask.buffer().putFloat(0, row).putFloat(4, row + 0.5f);
                batch.filling().put(0, row, image.address());
                batch.filling().put(1, row, mask.address());
                batch.filling().place(row, 1000 + row, 2000 + row, 100 + row);
            }
        }
    }

    private static void assertHolds(DeviceBatch batch, List<Integer> rows) {
        assertThat(batch.rows()).isEqualTo(rows.size());
        assertThat(batch.column(0).remaining()).isEqualTo(5 * rows.size());
        for (int at = 0; at < rows.size(); at++) {
            int row = rows.get(at);
            for (int i = 0; i < 5; i++) {
                assertThat(batch.column(0).get(5 * at + i)).isEqualTo((byte) (10 * row + i));
            }
            assertThat(batch.column(1).getFloat(8 * at)).isEqualTo(row);
            assertThat(batch.column(1).getFloat(8 * at + 4)).isEqualTo(row + 0.5f);
            assertThat(batch.labels().get(at)).isEqualTo(100 + row);
            assertThat(batch.label(at)).isEqualTo(100 + row);
            assertThat(batch.index(at)).isEqualTo(2000 + row);
            assertThat(batch.position(at)).isEqualTo(1000 + row);
        }
    }
}
