package io.millrace.source;

/** A job and the libraries of a cluster are of different builds. */
public final class OtherBuildException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** With a sentence for the user. */
    public OtherBuildException(String message) {
        super(message);
    }
}
