package io.millrace.train.spec;

/**
 * A specification that cannot be trained: its parts do not fit together, a model's file cannot be read, or a model does
 * not accept its inputs. The message is for the user.
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
