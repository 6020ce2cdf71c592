package io.millrace.sink.files;

import java.io.IOException;

/**
 * An exception for a trainer's state from which training cannot continue: the state has another version or is damaged,
 * or a file that belongs to it is missing. The message is for the user.
 */
public final class StateRefusedException extends IOException {
    private static final long serialVersionUID = 1;

    public StateRefusedException(String message) {
        super(message);
    }

    public StateRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
