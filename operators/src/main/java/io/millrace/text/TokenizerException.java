package io.millrace.text;

import io.millrace.sample.VisibleText;
import java.io.IOException;

/**
 * An exception for a tokenizer that cannot be used, because its file is missing, damaged or of a kind that no engine reproduces. The
 * message is one line for the user, in which control characters of names and tokens are escaped.
 */
public final class TokenizerException extends IOException {
    private static final long serialVersionUID = 1;

    public TokenizerException(String message) {
        super(VisibleText.line(message));
    }

    public TokenizerException(String message, Throwable cause) {
        super(VisibleText.line(message), cause);
    }
}
