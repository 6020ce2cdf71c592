package io.millrace.serve;

/** The kinds of messages. Their numbers are those of the protocol. */
public enum MessageType {
    HELLO(1),
    PLAN(2),
    MEMORY(3),
    MAPPED(4),
    SEEK(5),
    BATCH(6),
    RETURN(7),
    STEP(8),
    WAIT(9),
    END(10),
    ERROR(11),
    BYE(12),
    REDIRECT(13),
    CHALLENGE(14),
    PROOF(15),
    JOIN(16);

    private final int number;

    MessageType(int number) {
        this.number = number;
    }

    /** Returns the number of the type in a message. */
    int number() {
        return number;
    }

    /** Returns the type with a number. */
    static MessageType of(int number) throws ProtocolException {
        for (MessageType type : values()) {
            if (type.number == number) {
                return type;
            }
        }
        throw new ProtocolException("a message has the type " + number + ": expected 1 to " + values().length);
    }
}
