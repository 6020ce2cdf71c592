package io.millrace.train.state;

/**
 * A model's state that cannot be restored, because it is of another model, optimizer or version, or damaged. The message
 * compares the state with the run, and is for the user.
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
