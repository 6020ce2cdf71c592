package io.millrace.image;

/**
 * The exception for configured kernels that this machine or this version does not have. Its message is for the user.
 */
public final class MissingKernelsException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    /** Creates the exception with a message that states what was expected and found. */
    MissingKernelsException(String message) {
        super(message);
    }
}
