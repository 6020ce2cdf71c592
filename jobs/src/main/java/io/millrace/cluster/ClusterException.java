package io.millrace.cluster;

/** An exception for a local cluster that cannot be started, changed or stopped. The message is for the user. */
public final class ClusterException extends Exception {
    private static final long serialVersionUID = 1;

    public ClusterException(String message) {
        super(message);
    }

    public ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
