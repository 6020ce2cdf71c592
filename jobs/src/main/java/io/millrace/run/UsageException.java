package io.millrace.run;

/** A mistake in the user's request. The command ends with {@link ExitCode#USAGE} and prints the message. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UsageException(String message) {
        super(message);
    }
}
