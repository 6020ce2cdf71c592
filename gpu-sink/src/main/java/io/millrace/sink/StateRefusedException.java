package io.millrace.sink;

import java.io.IOException;

/**
 * A trainer's state from which no training can continue: it has another version, is damaged, or the files that belong
 * to it are missing. The message is for the user.
 */
public final class StateRefusedException extends IOException {
    private static final long serialVersionUID = 1;

    StateRefusedException(String message) {
        super(message);
    }

    StateRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
