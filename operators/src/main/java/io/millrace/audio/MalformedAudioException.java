package io.millrace.audio;

import java.io.IOException;

/** A sound file that cannot be decoded. The message says what was expected and what was found. */
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

    /** Returns what was expected and what was found. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
