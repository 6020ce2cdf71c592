package io.millrace.exchange;

/**
 * An exception for a rank that died, failed or was stopped in the middle of a step. The rank that throws it has not
 * failed itself.
 */
public final class RankGoneException extends ExchangeException {
    private static final long serialVersionUID = 1;

    public RankGoneException(String message) {
        super(message);
    }

    public RankGoneException(String message, Throwable cause) {
        super(message, cause);
    }
}
