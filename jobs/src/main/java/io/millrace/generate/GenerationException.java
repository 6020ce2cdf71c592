package io.millrace.generate;

import java.io.IOException;

/** A generation that cannot start where it was asked for: the message says what is there and what to do. */
public final class GenerationException extends IOException {
    private static final long serialVersionUID = 1;

    public GenerationException(String message) {
        super(message);
    }

    public GenerationException(String message, Throwable cause) {
        super(message, cause);
    }
}
