package io.millrace.dataset;

import java.io.IOException;

/** One bad sample: it is quarantined and the run goes on. The message says what was expected and what was found. */
public class BadSampleException extends IOException {
    private static final long serialVersionUID = 1;

    private final String file;
    private final long offset;

    /**
     * A bad sample.
     *
     * @param file the file, or the file and the member within it
     * @param offset the byte offset in the file, or -1 where none is known
     */
    public BadSampleException(String file, long offset, String reason) {
        super(reason);
        this.file = file;
        this.offset = offset;
    }

    public String file() {
        return file;
    }

    public long offset() {
        return offset;
    }

    /** What was expected and what was found. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
