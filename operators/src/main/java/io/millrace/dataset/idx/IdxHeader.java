package io.millrace.dataset.idx;

import io.millrace.dataset.DatasetException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The header of an IDX file.
 *
 * @param type the type of the elements
 * @param extents the extents, outermost first, none negative
 */
record IdxHeader(Type type, List<Integer> extents) {
    /** The number of bytes before the extents. */
    static final int MAGIC_BYTES = 4;

    private static final int TYPE_OFFSET = 2;
    private static final int COUNT_OFFSET = 3;

    /** The element types that are supported. */
    enum Type {
        UBYTE(0x08, 1, "unsigned bytes"),
        INT(0x0C, 4, "32-bit integers");

        private final int code;
        private final int bytes;
        private final String words;

        Type(int code, int bytes, String words) {
            this.code = code;
            this.bytes = bytes;
            this.words = words;
        }

        int bytes() {
            return bytes;
        }
    }

    /**
     * Returns the length of the header in bytes.
     *
     * @param magic the file's first {@link #MAGIC_BYTES} bytes
     * @throws DatasetException when the bytes are not the beginning of an IDX file
     */
    static int length(String file, byte[] magic) throws DatasetException {
        if (magic[0] != 0 || magic[1] != 0) {
            throw new DatasetException(
                    file + " is no IDX file: at offset 0 expected two zero bytes, found other bytes");
        }
        type(file, magic);
        if (magic[COUNT_OFFSET] < 1) {
            throw new DatasetException(file + " is no IDX file: at offset " + COUNT_OFFSET
                    + " expected the number of extents, 1 to 127, found " + (magic[COUNT_OFFSET] & 0xFF));
        }
        return MAGIC_BYTES + magic[COUNT_OFFSET] * Integer.BYTES;
    }

    /**
     * Reads a header.
     *
     * @param bytes the header, with the length that {@link #length} returns
     */
    static IdxHeader parse(String file, byte[] bytes) throws DatasetException {
        List<Integer> extents = new ArrayList<>();
        ByteBuffer buffer = ByteBuffer.wrap(bytes).position(MAGIC_BYTES);
        while (buffer.hasRemaining()) {
            int offset = buffer.position();
            int extent = buffer.getInt();
            if (extent < 0) {
                throw new DatasetException(file + ": at offset " + offset
                        + " expected an extent of up to 2147483647, found " + Integer.toUnsignedLong(extent));
            }
            extents.add(extent);
        }
        return new IdxHeader(type(file, bytes), List.copyOf(extents));
    }

    private static Type type(String file, byte[] magic) throws DatasetException {
        for (Type type : Type.values()) {
            if (type.code == magic[TYPE_OFFSET]) {
                return type;
            }
        }
        throw new DatasetException(String.format(
                "%s: at offset %d expected element type 08 (%s) or 0c (%s), found %02x",
                file, TYPE_OFFSET, Type.UBYTE.words, Type.INT.words, magic[TYPE_OFFSET]));
    }

    /** Returns the number of bytes before the elements. */
    int bytes() {
        return MAGIC_BYTES + extents.size() * Integer.BYTES;
    }

    /**
     * Returns the number of bytes in one item, or {@link Long#MAX_VALUE} when that number is too large. An item has all
     * extents except the first.
     */
    long itemBytes() {
        long product = type.bytes;
        for (int extent : extents.subList(1, extents.size())) {
            boolean tooMany = Math.multiplyHigh(product, extent) != 0 || product * extent < 0;
            product = tooMany ? Long.MAX_VALUE : product * extent;
        }
        return product;
    }

    /** Describes the content for messages: "60000 x 28 x 28 unsigned bytes". */
    String describe() {
        return extents.stream().map(String::valueOf).collect(Collectors.joining(" x ")) + " " + type.words;
    }

    /** Describes a kind of file for messages: "element type 08 (unsigned bytes) and 3 extents". */
    static String describe(Type type, int extents) {
        return String.format(
                "element type %02x (%s) and %d extent%s", type.code, type.words, extents, extents == 1 ? "" : "s");
    }
}
