package io.millrace.exchange;

import java.io.IOException;

/**
 * An exception that ends the exchange, because another rank is gone or has sent unexpected data. Replicas cannot be
 * kept equal any more.
 */
public sealed class ExchangeException extends IOException permits RankGoneException {
    private static final long serialVersionUID = 1;

    public ExchangeException(String message) {
        super(message);
    }

    public ExchangeException(String message, Throwable cause) {
        super(message, cause);
    }
}
