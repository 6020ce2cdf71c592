package io.millrace.dataset;

/** A dataset that cannot be read just now, as when a server does not answer: it may be there again later. */
public final class UnavailableException extends DatasetException {
    private static final long serialVersionUID = 1;

    public UnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
