package io.millrace.train.state;

/**
 * A model's state that cannot be restored: of another model, optimizer or version, or damaged. The message says what
 * the state has and what the run has; it is for the user.
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
