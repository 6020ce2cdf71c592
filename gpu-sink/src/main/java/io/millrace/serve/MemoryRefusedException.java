package io.millrace.serve;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An exception for memory that client and server cannot share. The message is the reason for the client, which can then
 * use other memory.
 */
public final class MemoryRefusedException extends IOException {
    private static final long serialVersionUID = 1;

    MemoryRefusedException(String message) {
        this(message, null);
    }

    MemoryRefusedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
