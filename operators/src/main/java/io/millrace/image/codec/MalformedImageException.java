package io.millrace.image.codec;

import java.io.IOException;

/** Bytes that are no image we can decode. The message says what was expected and what was found. */
public class MalformedImageException extends IOException {
    private static final long serialVersionUID = 1;

    private final long offset;

    /**
     * Bytes that cannot be decoded.
     *
     * @param offset where the trouble shows, in bytes from the start of the image, or -1 where that is not known
     */
    public MalformedImageException(long offset, String reason) {
        super(reason);
        this.offset = offset;
    }

    /** Bytes from the start of the image, or -1. */
    public long offset() {
        return offset;
    }

    /** What was expected and what was found. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
