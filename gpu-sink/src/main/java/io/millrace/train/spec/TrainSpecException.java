package io.millrace.train.spec;

/**
 * What is to be trained cannot be: parts that do not go together, a model's file that cannot be read, an input that a
 * model does not take. The message is for the user.
 */
public final class TrainSpecException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public TrainSpecException(String message) {
        super(message);
    }

    public TrainSpecException(String message, Throwable cause) {
        super(message, cause);
    }
}
