package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.arrow.memory.util.MemoryUtil;
import org.junit.jupiter.api.Test;

class BitsTest {
    @Property(tries = 200)
    void packedBitsAreRestoredAndOtherMemoryStaysUnchanged(@ForAll @Size(max = 40) boolean[] flags) {
        byte[] values = new byte[flags.length];
        for (int i = 0; i < flags.length; i++) {
            values[i] = (byte) (flags[i] ? 1 : 0);
        }
        assertThat(unpacked(values)).isEqualTo(values);
        byte[] asPictures = values.clone();
        for (int i = 0; i < asPictures.length; i++) {
            asPictures[i] = (byte) -asPictures[i];
        }
        assertThat(unpacked(asPictures)).isEqualTo(values);
    }

    @Test
    void firstValueIsTheLowestBit() {
        byte[] values = {1, 0, 0, 0, 0, 0, 1, 0, 1, 1};
        long memory = MemoryUtil.allocateMemory(2);
        try {
            assertThat(Bits.pack(values, memory)).isEqualTo(-1);
            assertThat(MemoryUtil.getByte(memory)).isEqualTo((byte) 0b0100_0001);
            assertThat(MemoryUtil.getByte(memory + 1)).isEqualTo((byte) 0b11);
        } finally {
            MemoryUtil.freeMemory(memory);
        }
    }

    @Property(tries = 100)
    void valueThatIsNotBinaryIsFoundAtItsIndex(
            @ForAll @IntRange(max = 36) int place, @ForAll @IntRange(min = 2, max = 254) int value) {
        byte[] values = new byte[37];
        values[place] = (byte) value;
        assertThat(packed(values)).isEqualTo(place);
    }

    @Test
    void onesAnd255TogetherAreNotBinary() {
        assertThat(packed(new byte[] {0, 1, 0, -1})).isEqualTo(3);
        assertThat(packed(new byte[] {0, -1, 0, 1})).isEqualTo(3);
    }

    private static int packed(byte[] values) {
        long memory = MemoryUtil.allocateMemory(Bits.bytes(values.length));
        try {
            return Bits.pack(values, memory);
        } finally {
            MemoryUtil.freeMemory(memory);
        }
    }

    private static byte[] unpacked(byte[] values) {
        int guard = 8;
        int packedBytes = Bits.bytes(values.length);
        long memory = MemoryUtil.allocateMemory(packedBytes + values.length + 2L * guard);
        try {
            MemoryUtil.setMemory(memory, packedBytes + values.length + 2L * guard, (byte) 77);
            assertThat(Bits.pack(values, memory)).isEqualTo(-1);
            long spread = memory + packedBytes + guard;
            Bits.unpack(memory, spread, values.length);
            byte[] all = new byte[values.length + 2 * guard];
            MemoryUtil.copyFromMemory(memory + packedBytes, all, 0, all.length);
            byte[] around = new byte[guard];
            Arrays.fill(around, (byte) 77);
            assertThat(Arrays.copyOf(all, guard)).isEqualTo(around);
            assertThat(Arrays.copyOfRange(all, guard + values.length, all.length))
                    .isEqualTo(around);
            return Arrays.copyOfRange(all, guard, guard + values.length);
        } finally {
            MemoryUtil.freeMemory(memory);
        }
    }
}
