package io.millrace.pipeline;

/**
 * An exception for a pipeline whose parts are valid but inconsistent, for example when the data does not fit the model.
 * No job was started. The message is for the user.
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
