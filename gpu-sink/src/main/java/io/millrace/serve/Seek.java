package io.millrace.serve;

/**
 * The message SEEK of a client.
 *
 * @param generation its number, from 1 on each connection
 * @param step the step that the client needs next
 * @param continues whether the client has lost its connection and continues: its loop has received all earlier steps since the
 *     step that its program chose last
 */
public record Seek(int generation, long step, boolean continues) {
    /** Reads a message. */
    static Seek of(Message message) throws ProtocolException {
        if (message.a() != 0 && message.a() != 1) {
            throw new ProtocolException("the client sent SEEK with a = " + Long.toUnsignedString(message.a())
                    + ": expected 0, or 1 if it continues");
        }
        return new Seek(message.generation(), message.number(), message.a() == 1);
    }
}
