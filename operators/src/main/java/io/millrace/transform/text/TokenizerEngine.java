package io.millrace.transform.text;

import io.millrace.text.ChosenTokenizer;
import io.millrace.text.TokenizerException;
import io.millrace.text.Tokenizers;
import io.millrace.transform.TransformSpec;
import java.util.Optional;
import java.util.function.Predicate;

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
     * Returns the sentence that names the engine of a transform and the reason for it; empty for other transforms.
     *
     * @throws IllegalArgumentException when there is no such tokenizer
     */
    public static Optional<String> describe(TransformSpec transform) {
        return describe(transform, chosen -> true);
    }

    /**
     * Returns the sentence of {@link #describe(TransformSpec)} if the engine is the library.
     *
     * @throws IllegalArgumentException when there is no such tokenizer
     */
    public static Optional<String> describeLibrary(TransformSpec transform) {
        return describe(transform, chosen -> chosen.tokenizer().engine().equals(LIBRARY));
    }

    private static Optional<String> describe(TransformSpec transform, Predicate<ChosenTokenizer> described) {
        if (!isTokenizing(transform)) {
            return Optional.empty();
        }
        try (ChosenTokenizer chosen = Tokenizers.open(transform.options().get(Tokenize.Factory.TOKENIZER))) {
            return described.test(chosen) ? Optional.of(chosen.describe()) : Optional.empty();
        } catch (TokenizerException e) {
            throw new IllegalArgumentException("tokenizer: " + e.getMessage(), e);
        }
    }
}
