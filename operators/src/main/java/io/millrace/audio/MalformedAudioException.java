package io.millrace.audio;

import java.io.IOException;

/** An exception for a sound file that cannot be decoded. The message states the expected and the found content. */
public final class MalformedAudioException extends IOException {
    private static final long serialVersionUID = 1;

    private final long offset;

    MalformedAudioException(long offset, String reason) {
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
