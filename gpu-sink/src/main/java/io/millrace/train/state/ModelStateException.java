package io.millrace.train.state;

/**
 * The exception for a model's state that cannot be restored, because it belongs to another model, optimizer or version,
 * or is damaged. The message compares the state with the run. It is written for the user.
 */
public final class ModelStateException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public ModelStateException(String message) {
        super(message);
    }

    public ModelStateException(String message, Throwable cause) {
        super(message, cause);
    }
}
