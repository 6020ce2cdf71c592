package io.millrace.python;

/** The exception for a worker that ended, or that did not answer in time, while it worked on a sample. */
final class WorkerLostException extends Exception {
    private static final long serialVersionUID = 1;

    private final int stage;

    /** Creates an exception for a worker with one function. */
    WorkerLostException(String message) {
        this(message, 0);
    }

    /**
     * Creates an exception.
     *
     * @param stage the number of the function that was being called, from 0
     */
    WorkerLostException(String message, int stage) {
        super(message);
        this.stage = stage;
    }

    /** Returns the number of the function that was being called, from 0. */
    int stage() {
        return stage;
    }
}
