package io.millrace.batch;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * The encoding of rows that are mostly 0. Each element other than 0 is stored as an entry: its place (int32, counted in
 * elements) and its bytes, little-endian. The entries have no gaps and are in order of places. An element counts as 0
 * when all its bits are 0, so -0.0 is stored and nothing is lost. Stateless.
 */
public final class SparseValues {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    /** The number of bytes of a place. */
    public static final int PLACE_BYTES = Integer.BYTES;

    private SparseValues() {}

    /** Returns the number of bytes of an entry. */
    public static int entryBytes(DType dtype) {
        return PLACE_BYTES + dtype.bytes();
    }

    /** Returns the size of a field as a sparse row, divided by its size as a dense row. */
    public static double share(Field field) {
        int width = field.dtype().bytes();
        long sparse = RowBuffers.OFFSET_BYTES + (long) count(field.data(), width) * (PLACE_BYTES + width);
        return (double) sparse / Math.max(1, field.data().length);
    }

    /**
     * Returns the number of elements that are not 0.
     *
     * @param values the elements
     * @param width the bytes of an element, a divisor of 8
     */
    static int count(byte[] values, int width) {
        int count = 0;
        for (int at = 0; at < values.length; ) {
            if (zeros(values, at)) {
                at += Long.BYTES;
            } else {
                int end = Math.min(at + Long.BYTES, values.length);
                for (; at < end; at += width) {
                    count += zero(values, at, width) ? 0 : 1;
                }
            }
        }
        return count;
    }

    /**
     * Writes the entries of a row.
     *
     * @param values the elements
     * @param width the bytes of an element, a divisor of 8
     * @param entries the array for the entries
     * @return the number of bytes of the entries; -1 when {@code entries} is too short
     */
    static int pack(byte[] values, int width, byte[] entries) {
        int to = 0;
        for (int at = 0; at < values.length; ) {
            if (zeros(values, at)) {
                at += Long.BYTES;
                continue;
            }
            int end = Math.min(at + Long.BYTES, values.length);
            for (; at < end; at += width) {
                if (!zero(values, at, width)) {
                    if (to + PLACE_BYTES + width > entries.length) {
                        return -1;
                    }
                    INTS.set(entries, to, at / width);
                    System.arraycopy(values, at, entries, to + PLACE_BYTES, width);
                    to += PLACE_BYTES + width;
                }
            }
        }
        return to;
    }

    /** Returns whether the next eight bytes exist and are 0. */
    private static boolean zeros(byte[] values, int at) {
        return at + Long.BYTES <= values.length && (long) LONGS.get(values, at) == 0;
    }

    private static boolean zero(byte[] values, int at, int width) {
        for (int i = at; i < at + width; i++) {
            if (values[i] != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Restores a row of all elements.
     *
     * @param from native memory of {@code count} entries
     * @param count the number of entries
     * @param to native memory of {@code elements} elements
     * @param elements the number of elements of the row
     * @param width the bytes of an element: 1, 2, 4 or 8
     * @throws IllegalStateException when a place is outside of the row, which no packer writes
     */
    public static void spread(long from, int count, long to, int elements, int width) {
        MemoryUtil.setMemory(to, (long) elements * width, (byte) 0);
        int entryBytes = PLACE_BYTES + width;
        for (int i = 0; i < count; i++) {
            long entry = from + (long) i * entryBytes;
            int place = MemoryUtil.getInt(entry);
            place = LITTLE ? place : Integer.reverseBytes(place);
            if (place < 0 || place >= elements) {
                throw new IllegalStateException(
                        "a sparse row has an element at place " + place + ": expected 0 to " + (elements - 1));
            }
            MemoryUtil.copyMemory(entry + PLACE_BYTES, to + (long) place * width, width);
        }
    }
}
