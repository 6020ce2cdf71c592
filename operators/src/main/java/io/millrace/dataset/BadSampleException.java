package io.millrace.dataset;

import io.millrace.sample.VisibleText;
import java.io.IOException;

/**
 * An exception for one bad sample, which is quarantined while the run goes on. The message states the expected and the
 * found content. It is one line, in which line ends and other control characters are escaped.
 */
public class BadSampleException extends IOException {
    private static final long serialVersionUID = 1;

    private final String file;
    private final long offset;

    /**
     * Creates the exception.
     *
     * @param file the file, or the file and the member within it
     * @param offset the byte offset in the file, or -1 where no offset is known
     * @param reason the expected and the found content
     */
    public BadSampleException(String file, long offset, String reason) {
        super(VisibleText.line(reason));
        this.file = file;
        this.offset = offset;
    }

    public String file() {
        return file;
    }

    public long offset() {
        return offset;
    }

    /** Returns the message, which states the expected and the found content. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
