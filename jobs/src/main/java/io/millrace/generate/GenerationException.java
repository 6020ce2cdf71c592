package io.millrace.generate;

import java.io.IOException;

/**
 * An exception for a generation that cannot start in the requested folder. The message names the content of the folder
 * and a remedy.
 */
public final class GenerationException extends IOException {
    private static final long serialVersionUID = 1;

    public GenerationException(String message) {
        super(message);
    }

    public GenerationException(String message, Throwable cause) {
        super(message, cause);
    }
}
