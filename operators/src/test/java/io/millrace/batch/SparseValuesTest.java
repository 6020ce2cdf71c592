package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.millrace.sample.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.arrow.memory.util.MemoryUtil;
import org.junit.jupiter.api.Test;

class SparseValuesTest {
    @Property(tries = 300)
    void elementsOtherThan0AreRestoredAndOtherMemoryStaysUnchanged(
            @ForAll("bytes") byte[] bytes, @ForAll("widths") int width) {
        byte[] values = Arrays.copyOf(bytes, bytes.length / width * width);
        int elements = values.length / width;
        int expected = 0;
        for (int i = 0; i < elements; i++) {
            boolean zero = true;
            for (int b = 0; b < width; b++) {
                zero &= values[i * width + b] == 0;
            }
            expected += zero ? 0 : 1;
        }

        assertThat(SparseValues.count(values, width)).isEqualTo(expected);
        byte[] entries = new byte[expected * (4 + width)];
        assertThat(SparseValues.pack(values, width, entries)).isEqualTo(entries.length);
        assertThat(spread(entries, elements, width)).isEqualTo(values);
    }

    @Test
    void entryIsPlaceAndElementInLittleEndian() {
        byte[] values = new byte[12];
        ByteBuffer.wrap(values)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(4, -0.0f)
                .putFloat(8, 1.5f);
        byte[] entries = new byte[16];

        assertThat(SparseValues.pack(values, 4, entries)).isEqualTo(16);

        ByteBuffer found = ByteBuffer.wrap(entries).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(found.getInt()).isEqualTo(1);
        assertThat(Float.floatToRawIntBits(found.getFloat()))
                .as("-0.0 is not 0: nothing is lost")
                .isEqualTo(0x8000_0000);
        assertThat(found.getInt()).isEqualTo(2);
        assertThat(found.getFloat()).isEqualTo(1.5f);
        assertThat(SparseValues.entryBytes(DType.FLOAT32)).isEqualTo(8);
    }

    @Test
    void placeOutsideOfTheRowIsRefused() {
        byte[] entry = {3, 0, 0, 0, 9};
        assertThatIllegalStateException()
                .isThrownBy(() -> spread(entry, 3, 1))
                .withMessageContaining("place 3: expected 0 to 2");
    }

    private static byte[] spread(byte[] entries, int elements, int width) {
        long from = MemoryUtil.allocateMemory(entries.length + 1);
        long to = MemoryUtil.allocateMemory((long) elements * width + 1);
        try {
            MemoryUtil.copyToMemory(entries, 0, from, entries.length);
            MemoryUtil.setMemory(to, (long) elements * width + 1, (byte) 77);
            SparseValues.spread(from, entries.length / (4 + width), to, elements, width);
            byte[] found = new byte[elements * width];
            MemoryUtil.copyFromMemory(to, found, 0, found.length);
            assertThat(MemoryUtil.getByte(to + found.length)).isEqualTo((byte) 77);
            return found;
        } finally {
            MemoryUtil.freeMemory(from);
            MemoryUtil.freeMemory(to);
        }
    }

    @Provide
    Arbitrary<byte[]> bytes() {
        return Arbitraries.frequencyOf(
                        net.jqwik.api.Tuple.of(9, Arbitraries.just((byte) 0)),
                        net.jqwik.api.Tuple.of(1, Arbitraries.bytes()))
                .array(byte[].class)
                .ofMaxSize(120);
    }

    @Provide
    Arbitrary<Integer> widths() {
        return Arbitraries.of(1, 2, 4, 8);
    }
}
