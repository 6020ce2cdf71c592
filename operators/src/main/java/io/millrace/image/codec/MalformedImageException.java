package io.millrace.image.codec;

import java.io.IOException;

/** The exception for bytes that cannot be decoded as an image. The message contains the expected and the found content. */
public class MalformedImageException extends IOException {
    private static final long serialVersionUID = 1;

    private final long offset;

    /**
     * Creates an exception.
     *
     * @param offset the offset of the error, in bytes from the start of the image; -1 when unknown
     * @param reason the expected and the found content
     */
    public MalformedImageException(long offset, String reason) {
        super(reason);
        this.offset = offset;
    }

    /** Returns the offset of the error, in bytes from the start of the image; -1 when unknown. */
    public long offset() {
        return offset;
    }

    /** Returns the expected and the found content. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
