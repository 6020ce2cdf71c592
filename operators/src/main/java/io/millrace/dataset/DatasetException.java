package io.millrace.dataset;

import java.io.IOException;

/**
 * An exception for a dataset that cannot be used at all, because it does not exist, is empty, or has another format.
 * The message is for the user.
 */
public class DatasetException extends IOException {
    private static final long serialVersionUID = 1;

    public DatasetException(String message) {
        super(message);
    }

    public DatasetException(String message, Throwable cause) {
        super(message, cause);
    }
}
