package io.millrace.transform.text;

import io.millrace.text.ChosenTokenizer;
import io.millrace.text.TokenizerException;
import io.millrace.text.Tokenizers;
import io.millrace.transform.TransformSpec;
import java.util.Optional;

/** The engine of a transform {@code tokenize}, for the first lines of a run. */
public final class TokenizerEngine {
    /** The name of the engine that is Hugging Face's library. */
    private static final String LIBRARY = "tokenizers";

    private TokenizerEngine() {}

    /** Returns whether a transform makes ids of texts. */
    public static boolean isTokenizing(TransformSpec transform) {
        return transform.name().equals(Tokenize.NAME);
    }

    /**
     * Opens the tokenizer of a transform, which the caller closes; empty for other transforms. While it is open, its vocabulary is not
     * loaded again.
     *
     * @throws IllegalArgumentException when there is no such tokenizer
     */
    public static Optional<ChosenTokenizer> open(TransformSpec transform) {
        if (!isTokenizing(transform)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Tokenizers.open(transform.options().get(Tokenize.Factory.TOKENIZER)));
        } catch (TokenizerException e) {
            throw new IllegalArgumentException("tokenizer: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the sentence that names the engine of a transform and the reason for it, if the engine is the library.
     *
     * @throws IllegalArgumentException when there is no such tokenizer
     */
    public static Optional<String> describeLibrary(TransformSpec transform) {
        try (ChosenTokenizer chosen = open(transform).orElse(null)) {
            return chosen != null && chosen.tokenizer().engine().equals(LIBRARY)
                    ? Optional.of(chosen.describe())
                    : Optional.empty();
        }
    }
}
