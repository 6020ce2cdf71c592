package io.millrace.dataset.npy;

import io.millrace.sample.DType;
import java.nio.ByteOrder;

/**
 * The place of the elements of a .npy file that holds one list of numbers, for readers of single elements.
 *
 * <p>Tested by {@code TokensFormatTest}.
 *
 * @param dtype the type of the elements in a field, which is wider than in the file for 32-bit unsigned integers
 * @param elementBytes the bytes of an element in the file
 * @param offset the offset of the first element in bytes
 * @param count the number of elements
 */
public record NpyVector(DType dtype, int elementBytes, int offset, long count) {
    /** The number of bytes with which every header can be read. */
    public static final int MOST_HEADER_BYTES = 1 << 14;

    /**
     * Reads the header of a file.
     *
     * @param prefix the file's first {@link #MOST_HEADER_BYTES}, or all bytes of a shorter file
     * @throws MalformedNpyException when the bytes are no such header, or that of an array with another number of extents
     */
    public static NpyVector parse(byte[] prefix) throws MalformedNpyException {
        NpyHeader header = NpyHeader.parse(prefix);
        if (header.shape().size() != 1) {
            throw new MalformedNpyException(0, "expected an array with one extent, found " + header.describe());
        }
        if (header.type().order() == ByteOrder.BIG_ENDIAN && header.type().bytes() > 1) {
            throw new MalformedNpyException(0, "expected little-endian numbers, found big-endian ones");
        }
        return new NpyVector(header.type().dtype(), header.type().bytes(), header.bytes(), header.elements(0));
    }
}
