package io.millrace.batch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * Zeros and ones, eight in a byte, the first in the lowest bit, like Arrow's bits and numpy's little-endian bits.
 * Stateless.
 */
public final class Bits {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** A mask of the lowest bit of each byte. */
    private static final long LOWEST = 0x0101_0101_0101_0101L;

    /**
     * A factor that gathers bits: the product of eight bytes of 0 or 1 and this number has byte i in bit 56 + i,
     * because each i has one term shifted by 56 - 7 i.
     */
    private static final long GATHER = 0x0102_0408_1020_4080L;

    private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    /** The eight bits of each byte as eight bytes. */
    private static final long[] SPREAD = new long[256];

    static {
        for (int bits = 0; bits < SPREAD.length; bits++) {
            for (int i = 0; i < Byte.SIZE; i++) {
                SPREAD[bits] |= (long) ((bits >> i) & 1) << (Byte.SIZE * i);
            }
        }
    }

    private Bits() {}

    /** Returns the number of bytes of {@code count} bits. */
    public static int bytes(int count) {
        return count / Byte.SIZE + (count % Byte.SIZE == 0 ? 0 : 1);
    }

    /**
     * Packs values that are all 0 or 1, or all 0 or 255 as in many stored binary images.
     *
     * @param values the values
     * @param address native memory for {@link #bytes} of the array's length; the unused bits of the last byte become 0
     * @return -1, or the index of a value that does not fit the others; the written bytes are then meaningless
     */
    static int pack(byte[] values, long address) {
        if (packOnes(values, address)) {
            return -1;
        }
        int nonBinary = firstNonBinary(values);
        if (nonBinary < 0) {
            packOnes(values, address);
        }
        return nonBinary;
    }

    /**
     * Returns the index of the first value that is neither 0 nor the value that stands for 1; -1 when all values are
     * binary.
     */
    static int firstNonBinary(byte[] values) {
        // The first value other than 0 decides whether 255 or 1 stands for 1.
        return firstNot(values, firstSet(values) == 255 ? (byte) 255 : 1);
    }

    /**
     * Packs the lowest bits.
     *
     * @return whether all other bits of the values are 0
     */
    private static boolean packOnes(byte[] values, long address) {
        long seen = 0;
        int at = 0;
        for (; at + Long.BYTES <= values.length; at += Long.BYTES) {
            long eight = (long) LONGS.get(values, at);
            seen |= eight;
            MemoryUtil.putByte(address + at / Byte.SIZE, (byte) (((eight & LOWEST) * GATHER) >>> 56));
        }
        if (at < values.length) {
            int last = 0;
            for (int i = at; i < values.length; i++) {
                seen |= values[i] & 0xFF;
                last |= (values[i] & 1) << (i - at);
            }
            MemoryUtil.putByte(address + at / Byte.SIZE, (byte) last);
        }
        return (seen & ~LOWEST) == 0;
    }

    private static int firstNot(byte[] values, byte one) {
        for (int i = 0; i < values.length; i++) {
            if (values[i] != 0 && values[i] != one) {
                return i;
            }
        }
        return -1;
    }

    private static int firstSet(byte[] values) {
        for (byte value : values) {
            if (value != 0) {
                return value & 0xFF;
            }
        }
        return 0;
    }

    /**
     * Spreads bits into bytes of 0 and 1.
     *
     * @param from native memory of {@link #bytes} of {@code count}
     * @param to native memory of {@code count} bytes
     * @param count the number of bits
     */
    public static void unpack(long from, long to, int count) {
        int whole = count / Byte.SIZE;
        for (int i = 0; i < whole; i++) {
            long eight = SPREAD[MemoryUtil.getByte(from + i) & 0xFF];
            MemoryUtil.putLong(to + (long) i * Long.BYTES, LITTLE ? eight : Long.reverseBytes(eight));
        }
        for (int i = whole * Byte.SIZE; i < count; i++) {
            MemoryUtil.putByte(to + i, (byte) ((MemoryUtil.getByte(from + whole) >> (i % Byte.SIZE)) & 1));
        }
    }
}
