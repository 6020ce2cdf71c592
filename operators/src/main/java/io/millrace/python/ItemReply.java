package io.millrace.python;

import io.millrace.python.WorkerReply.Status;
import io.millrace.sample.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The reply of a worker for one item of a dataset. Its values are in memory of their own.
 *
 * @param cpuNanos the CPU time of the worker's process
 * @param values the values by name; empty unless the status is {@link Status#DONE}
 * @param reason one sentence; empty when the status is {@link Status#DONE}
 * @param trace Python's traceback, or an empty text
 */
record ItemReply(Status status, long cpuNanos, List<Value> values, String reason, String trace) {
    /** A value of an item; {@code field} is a tensor. */
    record Value(String name, ItemForm form, Field field) {}

    private static final List<Status> STATUSES = List.of(Status.values());
    private static final List<ItemForm> FORMS = List.of(ItemForm.values());

    /**
     * Reads the replies for the first of the wanted items.
     *
     * @param message the message without its length, in little-endian order
     * @param memory the whole memory that is shared with the worker, from which the values are copied
     * @param most the number of wanted items
     * @throws MalformedReplyException when the message does not follow the protocol
     */
    static List<ItemReply> readAll(ByteBuffer message, ByteBuffer memory, int most) throws MalformedReplyException {
        ReplyField.requireBytes(message, Integer.BYTES, "the number of replies");
        int count = message.getInt();
        if (count < 1 || count > most) {
            throw new MalformedReplyException("expected 1 to " + most + " replies, found " + count);
        }
        List<ItemReply> replies = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            replies.add(read(message, memory));
        }
        if (message.hasRemaining()) {
            throw new MalformedReplyException("expected the end of the reply, found " + message.remaining() + " bytes");
        }
        return replies;
    }

    private static ItemReply read(ByteBuffer message, ByteBuffer memory) throws MalformedReplyException {
        ReplyField.requireBytes(message, 1 + 2 * Long.BYTES + Short.BYTES, "the head of the reply");
        int status = message.get();
        if (status < 0 || status >= STATUSES.size()) {
            throw new MalformedReplyException(
                    "expected a status of 0 to " + (STATUSES.size() - 1) + ", found " + status);
        }
        long cpuNanos = Math.max(0, message.getLong());
        message.getLong(); // the label of replies of transforms
        int count = Short.toUnsignedInt(message.getShort());
        if (STATUSES.get(status) != Status.DONE) {
            String reason = ReplyField.text(message, "the reason");
            return new ItemReply(
                    STATUSES.get(status), cpuNanos, List.of(), reason, ReplyField.text(message, "the traceback"));
        }
        List<Value> values = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ReplyField read = ReplyField.read(message, memory, FORMS.size() - 1);
            Field passing = read.values();
            values.add(new Value(
                    read.name(), FORMS.get(read.form()), Field.of(passing.dtype(), passing.shape(), passing.data())));
        }
        return new ItemReply(Status.DONE, cpuNanos, values, "", "");
    }
}
