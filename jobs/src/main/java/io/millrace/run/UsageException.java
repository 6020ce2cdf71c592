package io.millrace.run;

/** What the user asked for cannot be meant: ends with {@link ExitCode#USAGE}. The message is for the user. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UsageException(String message) {
        super(message);
    }
}
