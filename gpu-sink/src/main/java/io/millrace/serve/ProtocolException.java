package io.millrace.serve;

import java.io.IOException;

/** The other side does not keep to the protocol. The message says what was expected and what was found. */
public final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1;

    public ProtocolException(String message) {
        super(message);
    }
}
