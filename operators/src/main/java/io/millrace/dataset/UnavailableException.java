package io.millrace.dataset;

/**
 * An exception for a dataset that cannot be read at the moment, for example because a server does not answer. A later
 * attempt may succeed.
 */
public final class UnavailableException extends DatasetException {
    private static final long serialVersionUID = 1;

    public UnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
