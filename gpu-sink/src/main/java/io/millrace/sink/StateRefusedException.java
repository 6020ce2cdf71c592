package io.millrace.sink;

import java.io.IOException;

/**
 * A trainer's state that cannot be gone on with: of another version, damaged, or without the files that belong to it. The
 * message is for the user.
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
