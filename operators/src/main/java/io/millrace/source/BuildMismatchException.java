package io.millrace.source;

/** A job and the libraries of a cluster are of different builds. */
public final class BuildMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** With a sentence for the user. */
    public BuildMismatchException(String message) {
        super(message);
    }
}
