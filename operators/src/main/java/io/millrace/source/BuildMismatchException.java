package io.millrace.source;

/** A mismatch between the build of a job and the build of the libraries in the cluster. */
public final class BuildMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message a sentence for the user
     */
    public BuildMismatchException(String message) {
        super(message);
    }
}
