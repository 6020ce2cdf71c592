package io.millrace.transform.text;

import io.millrace.text.ChosenTokenizer;
import io.millrace.text.TokenizerException;
import io.millrace.text.Tokenizers;
import io.millrace.transform.TransformSpec;
import java.util.Optional;

/** The engine of a transform {@code tokenize}, for the first lines of a run. */
public final class TokenizerEngine {
    private TokenizerEngine() {}

    /**
     * Returns the sentence that names the engine of a transform and the reason for it; empty for other transforms.
     *
     * @throws IllegalArgumentException when there is no such tokenizer
     */
    public static Optional<String> describe(TransformSpec transform) {
        if (!isTokenizing(transform)) {
            return Optional.empty();
        }
        try (ChosenTokenizer chosen = Tokenizers.open(transform.options().get(Tokenize.Factory.TOKENIZER))) {
            return Optional.of(chosen.describe());
        } catch (TokenizerException e) {
            throw new IllegalArgumentException("tokenizer: " + e.getMessage(), e);
        }
    }

    /** Returns whether a transform makes tokens of text. */
    public static boolean isTokenizing(TransformSpec transform) {
        return transform.name().equals(Tokenize.NAME);
    }
}
