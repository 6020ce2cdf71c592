package io.millrace.exchange;

/** Another rank died, failed or was stopped in the middle of a step; this rank has no failure of its own. */
public final class RankGoneException extends ExchangeException {
    private static final long serialVersionUID = 1;

    public RankGoneException(String message) {
        super(message);
    }

    public RankGoneException(String message, Throwable cause) {
        super(message, cause);
    }
}
