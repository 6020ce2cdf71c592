package io.millrace.cluster;

/** A local cluster cannot be started, changed or stopped as requested. The message is for the user. */
public final class ClusterException extends Exception {
    private static final long serialVersionUID = 1;

    public ClusterException(String message) {
        super(message);
    }

    public ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
