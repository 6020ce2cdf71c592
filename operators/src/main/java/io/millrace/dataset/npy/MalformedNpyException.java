package io.millrace.dataset.npy;

import java.io.IOException;

/**
 * An exception for bytes that are no .npy file, or that are a .npy file of a kind that is not supported. The message
 * states the expected and the found content.
 */
public final class MalformedNpyException extends IOException {
    private static final long serialVersionUID = 1;

    private final long offset;

    MalformedNpyException(long offset, String reason) {
        super(reason);
        this.offset = offset;
    }

    /** Returns the offset of the fault in bytes from the start of the file. */
    public long offset() {
        return offset;
    }

    /** Returns the message, which states the expected and the found content. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
