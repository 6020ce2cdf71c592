package io.millrace.text;

import com.fasterxml.jackson.core.JsonProcessingException;
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

    /** Returns the exception for a file that cannot be read as JSON; one that is for a tokenizer already, as it is. */
    static TokenizerException ofJson(String source, IOException failure) {
        if (failure instanceof TokenizerException known) {
            return known;
        }
        String reason =
                failure instanceof JsonProcessingException json ? json.getOriginalMessage() : failure.getMessage();
        return new TokenizerException(source + " cannot be read as JSON: " + reason, failure);
    }
}
