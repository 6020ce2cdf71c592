package io.millrace.text;

import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of tokens in texts that are not in the normal form NFC, which the tokenizer makes of them. Hugging Face's library states
 * them: its tokens have the characters from which the first character of each composition was made, and the marks that it composes with
 * are in no token. The library is loaded with the first such text. One thread uses an instance, and closes it.
 *
 * <p>Tested by {@code LossSpansTest}.
 */
final class ComposedSpans implements AutoCloseable {
    private final Path file;
    private @Nullable Tokenizer library;

    /** Why the library cannot be loaded; empty until it is known. */
    private String failure = "";

    /**
     * Creates the spans of a tokenizer.
     *
     * @param file its {@code tokenizer.json}
     */
    ComposedSpans(Path file) {
        this.file = file;
    }

    /**
     * Appends the bytes of each token of a text.
     *
     * @param ids the ids of the text, from {@code first} on
     * @throws IllegalArgumentException when the library cannot be loaded, or makes other ids; the message is a sentence
     */
    void add(byte[] utf8, int from, int to, TokenIds ids, int first, TokenSpans spans) {
        TokenIds found = new TokenIds();
        library().encode(utf8, from, to, found, spans);
        int[] own = ids.toArray();
        if (!Arrays.equals(own, first, own.length, found.toArray(), 0, found.size())) {
            throw new IllegalArgumentException(
                    "The bytes of each token are unknown: the text is not in the normal form NFC,"
                            + " and Hugging Face's tokenizers make other ids of it with " + file
                            + " than this tokenizer, which was"
                            + " loaded before; has the file changed?");
        }
    }

    private Tokenizer library() {
        Tokenizer known = library;
        if (known != null) {
            return known;
        }
        if (failure.isEmpty()) {
            try {
                known = Tokenizers.library(file);
                library = known;
                return known;
            } catch (TokenizerException e) {
                failure = String.valueOf(e.getMessage());
            }
        }
        throw new IllegalArgumentException(
                "The bytes of each token are unknown: the text is not in the normal form NFC, and"
                        + " Hugging Face's tokenizers, which state them for such texts, cannot be used: " + failure);
    }

    @Override
    public void close() {
        Tokenizer opened = library;
        if (opened != null) {
            opened.close();
        }
    }
}
