package io.millrace.python;

/** The exception for the end of the process that called the functions, which its parent has reported. */
final class ChildEndedException extends Exception {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    /**
     * Creates an exception.
     *
     * @param exitCode the exit code; the number of a signal is negative
     */
    ChildEndedException(int exitCode) {
        super("the process ended with exit code " + exitCode);
        this.exitCode = exitCode;
    }

    /** Returns the exit code; the number of a signal is negative. */
    int exitCode() {
        return exitCode;
    }
}
