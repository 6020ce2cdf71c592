package io.millrace.serve;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A message between a server of batches and its client, without its payload. The page docs/develop/serving.md describes the
 * protocol.
 *
 * @param type the kind of message
 * @param payload whether {@code b} bytes follow the message
 * @param generation the client's count of its SEEK messages, in messages that belong to one
 * @param number the step, in messages about a step
 * @param a a value that depends on the type
 * @param b the number of payload bytes, or a value that depends on the type
 */
public record Message(MessageType type, boolean payload, int generation, long number, long a, long b) {
    /** The number of bytes of each message, without its payload. */
    public static final int BYTES = 32;

    /** The largest number of bytes of a payload that is neither a batch nor a plan. */
    public static final int MOST_JSON_BYTES = 1 << 20;

    /** The largest number of bytes of the payload of a message that strangers may send. */
    public static final int MOST_STRANGER_BYTES = 1 << 14;

    /** The largest number of bytes of the payload of {@link MessageType#PLAN}, which has the names of all classes. */
    public static final int MOST_PLAN_BYTES = 1 << 26;

    private static final int PAYLOAD = 1;

    /** Creates a message without payload. */
    public static Message of(MessageType type, int generation, long number, long a, long b) {
        return new Message(type, false, generation, number, a, b);
    }

    /** Creates a message about a step and nothing else. */
    public static Message of(MessageType type, int generation, long number) {
        return of(type, generation, number, 0, 0);
    }

    /** Creates a message whose payload has this number of bytes and follows it. */
    public static Message withPayload(MessageType type, long bytes) {
        return new Message(type, true, 0, 0, 0, bytes);
    }

    /** Appends the message to a buffer with {@link #BYTES} of room. Changes the buffer's byte order. */
    public void write(ByteBuffer to) {
        to.order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) type.number())
                .putShort((short) (payload ? PAYLOAD : 0))
                .putInt(generation)
                .putLong(number)
                .putLong(a)
                .putLong(b);
    }

    /**
     * Reads a message that a client sent from a buffer with at least {@link #BYTES}. Changes the buffer's byte order.
     *
     * @throws ProtocolException when no client sends such a message
     */
    static Message read(ByteBuffer from) throws ProtocolException {
        from.order(ByteOrder.LITTLE_ENDIAN);
        MessageType type = MessageType.of(Short.toUnsignedInt(from.getShort()));
        int flags = Short.toUnsignedInt(from.getShort());
        Message message =
                new Message(type, flags == PAYLOAD, from.getInt(), from.getLong(), from.getLong(), from.getLong());
        if (flags > PAYLOAD) {
            throw new ProtocolException("a message " + type + " has the flags " + flags + ": expected 0 or 1");
        }
        int most =
                switch (type) {
                    case HELLO, PROOF -> MOST_STRANGER_BYTES;
                    case JOIN, MEMORY -> MOST_JSON_BYTES;
                    default -> 0;
                };
        boolean json = most > 0;
        if (message.payload != json) {
            throw new ProtocolException("a message " + type + (json ? " has no payload" : " has a payload"));
        }
        if (json && (message.b < 0 || message.b > most)) {
            throw new ProtocolException("the payload of a message " + type + " has " + Long.toUnsignedString(message.b)
                    + " bytes: expected at most " + most);
        }
        return message;
    }
}
