package io.millrace.python;

/** The exception for a worker that ended, or that did not answer in time, while it worked on a sample. */
final class WorkerLostException extends Exception {
    private static final long serialVersionUID = 1;

    WorkerLostException(String message) {
        super(message);
    }
}
