package io.millrace.dataset.tfrecord;

/**
 * A reader of protocol buffers' wire format, as far as an Example needs it: tags, varints, and nested messages as
 * ranges of one array. The reader checks that a length lies within its message before it uses the length.
 *
 * <p>Belongs to one thread.
 */
public final class WireReader {
    public static final int VARINT = 0;
    public static final int FIXED64 = 1;
    public static final int BYTES = 2;
    public static final int FIXED32 = 5;

    private static final int TYPE_BITS = 3;
    private static final int MOST_VARINT_BYTES = 10;

    private final byte[] data;
    private int position;
    private final int end;

    public WireReader(byte[] data, int start, int end) {
        this.data = data;
        this.position = start;
        this.end = end;
    }

    /** An exception for a fault in a message. It contains the offset in the array. */
    public static final class MalformedWireException extends Exception {
        private static final long serialVersionUID = 1;

        private final int offset;

        public MalformedWireException(int offset, String reason) {
            super(reason);
            this.offset = offset;
        }

        public int offset() {
            return offset;
        }
    }

    public boolean hasMore() {
        return position < end;
    }

    public int position() {
        return position;
    }

    /** Reads the tag of the next field: the number of the field, times 8, plus its wire type. */
    public int tag() throws MalformedWireException {
        int at = position;
        long tag = varint();
        if (tag >>> TYPE_BITS == 0 || tag > Integer.MAX_VALUE) {
            throw new MalformedWireException(at, "expected a field's number, found " + tag);
        }
        return (int) tag;
    }

    public long varint() throws MalformedWireException {
        int start = position;
        long value = 0;
        for (int i = 0; i < MOST_VARINT_BYTES && position < end; i++) {
            byte next = data[position++];
            value |= (long) (next & 0x7F) << (7 * i);
            if (next >= 0) {
                return value;
            }
        }
        throw new MalformedWireException(start, "expected a number of up to " + MOST_VARINT_BYTES + " bytes");
    }

    /** Returns a reader of the message, text or bytes that come next. */
    public WireReader message() throws MalformedWireException {
        int at = position;
        long length = varint();
        if (length < 0 || length > end - position) {
            throw new MalformedWireException(
                    at,
                    "expected up to " + (end - position) + " bytes, found a length of "
                            + Long.toUnsignedString(length));
        }
        WireReader message = new WireReader(data, position, position + (int) length);
        position += (int) length;
        return message;
    }

    /** Reads the next four bytes as an int. */
    public int fixed32() throws MalformedWireException {
        requireLeft(Integer.BYTES);
        int value = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            value |= (data[position++] & 0xFF) << (Byte.SIZE * i);
        }
        return value;
    }

    /** Skips the value of a field with the given tag. */
    public void skip(int tag) throws MalformedWireException {
        switch (tag & ((1 << TYPE_BITS) - 1)) {
            case VARINT -> varint();
            case FIXED64 -> {
                requireLeft(Long.BYTES);
                position += Long.BYTES;
            }
            case BYTES -> message();
            case FIXED32 -> fixed32();
            default ->
                throw new MalformedWireException(position, "expected a wire type of 0, 1, 2 or 5, found tag " + tag);
        }
    }

    private void requireLeft(int count) throws MalformedWireException {
        if (count > end - position) {
            throw new MalformedWireException(
                    position, "expected " + count + " bytes, found the end of the message after " + (end - position));
        }
    }

    public int left() {
        return end - position;
    }

    /** Returns the remaining bytes in a new array. */
    public byte[] copy() {
        return java.util.Arrays.copyOfRange(data, position, end);
    }

    public static int tag(int field, int type) {
        return field << TYPE_BITS | type;
    }
}
