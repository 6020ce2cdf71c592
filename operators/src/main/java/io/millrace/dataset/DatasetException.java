package io.millrace.dataset;

import io.millrace.sample.VisibleText;
import java.io.IOException;

/**
 * An exception for a dataset that cannot be used at all, because it does not exist, is empty, or has another format.
 * The message is one line for the user, in which line ends and other control characters of names are escaped.
 */
public class DatasetException extends IOException {
    private static final long serialVersionUID = 1;

    public DatasetException(String message) {
        super(VisibleText.line(message));
    }

    public DatasetException(String message, Throwable cause) {
        super(VisibleText.line(message), cause);
    }
}
