package io.millrace.inspect.reference;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An exception for an interpreter that cannot be used. The message is a sentence for the user. */
public final class ReferenceException extends IOException {
    private static final long serialVersionUID = 1;

    ReferenceException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
