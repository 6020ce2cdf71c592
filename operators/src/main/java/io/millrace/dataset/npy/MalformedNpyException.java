package io.millrace.dataset.npy;

import java.io.IOException;

/**
 * Bytes that are no .npy file, or a .npy file of a kind that is not supported. The message says what was expected and
 * what was found.
 */
public final class MalformedNpyException extends IOException {
    private static final long serialVersionUID = 1;

    private final long offset;

    MalformedNpyException(long offset, String reason) {
        super(reason);
        this.offset = offset;
    }

    /** Returns the offset in the file in bytes. */
    public long offset() {
        return offset;
    }

    /** Returns what was expected and what was found. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
