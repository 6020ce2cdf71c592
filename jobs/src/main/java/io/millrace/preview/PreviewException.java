package io.millrace.preview;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A preview that cannot be created or written. The message is for the user. */
public final class PreviewException extends IOException {
    private static final long serialVersionUID = 1;

    public PreviewException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
