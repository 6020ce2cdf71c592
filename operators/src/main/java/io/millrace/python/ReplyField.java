package io.millrace.python;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A field as a reply describes it.
 *
 * @param form the form that the value had in Python
 * @param values a tensor whose values lie in the shared memory
 */
record ReplyField(String name, int form, Field values) {
    /** The largest number of extents of a field. */
    static final int MOST_RANK = 32;

    private static final List<DType> DTYPES = List.of(DType.values());

    /**
     * Reads a field at the position of a message.
     *
     * @param memory the whole memory that is shared with the worker
     * @param mostForm the largest number of a form
     * @throws MalformedReplyException when the message does not follow the protocol
     */
    static ReplyField read(ByteBuffer message, ByteBuffer memory, int mostForm) throws MalformedReplyException {
        requireBytes(message, 1, "the length of a name");
        int length = Byte.toUnsignedInt(message.get());
        String name = utf8(message, length, "a name");
        String what = "field '" + name + "'";
        requireBytes(message, 3, what);
        int form = message.get();
        int dtype = message.get();
        int rank = message.get();
        if (form < 0 || form > mostForm || dtype < 0 || dtype >= DTYPES.size() || rank < 0 || rank > MOST_RANK) {
            throw new MalformedReplyException(what + ": expected a form of 0 to " + mostForm + ", a dtype of 0 to "
                    + (DTYPES.size() - 1) + " and a rank of 0 to " + MOST_RANK + ", found " + form + ", " + dtype
                    + " and " + rank);
        }
        requireBytes(message, rank * Integer.BYTES + Long.BYTES, what);
        int[] shape = new int[rank];
        long bytes = DTYPES.get(dtype).bytes();
        for (int i = 0; i < rank; i++) {
            shape[i] = message.getInt();
            if (shape[i] < 0 || (bytes > memory.capacity() && shape[i] > 0)) {
                throw new MalformedReplyException(
                        what + " does not fit into " + memory.capacity() + " bytes: extent " + i + " is " + shape[i]);
            }
            bytes *= shape[i];
        }
        long offset = message.getLong();
        if (bytes > memory.capacity() || offset < 0 || offset > memory.capacity() - bytes) {
            throw new MalformedReplyException(what + " of " + bytes + " bytes at offset " + offset
                    + " does not fit into " + memory.capacity() + " bytes");
        }
        return new ReplyField(
                name, form, Field.passing(DTYPES.get(dtype), shape, memory.slice((int) offset, (int) bytes)));
    }

    /** Reads a text with its length. */
    static String text(ByteBuffer message, String what) throws MalformedReplyException {
        requireBytes(message, Integer.BYTES, what);
        return utf8(message, message.getInt(), what);
    }

    private static String utf8(ByteBuffer message, int length, String what) throws MalformedReplyException {
        requireBytes(message, length, what);
        byte[] bytes = new byte[length];
        message.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static void requireBytes(ByteBuffer message, int bytes, String what) throws MalformedReplyException {
        if (bytes < 0 || message.remaining() < bytes) {
            throw new MalformedReplyException(
                    what + " needs " + bytes + " bytes, found " + message.remaining() + " until the end of the reply");
        }
    }
}
