package io.millrace.exchange;

import java.io.IOException;

/** Replicas cannot be kept equal any more: another rank is gone, or has sent something unexpected. */
public sealed class ExchangeException extends IOException permits RankGoneException {
    private static final long serialVersionUID = 1;

    public ExchangeException(String message) {
        super(message);
    }

    public ExchangeException(String message, Throwable cause) {
        super(message, cause);
    }
}
