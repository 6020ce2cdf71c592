package io.millrace.pipeline;

/**
 * A pipeline whose parts, each fine by itself, do not go together, as is seen when its data is looked at. Nothing was
 * started. The message is for the user.
 */
public final class PipelineException extends Exception {
    private static final long serialVersionUID = 1;

    public PipelineException(String message) {
        super(message);
    }

    public PipelineException(String message, Throwable cause) {
        super(message, cause);
    }
}
