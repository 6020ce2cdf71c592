package io.millrace.text;

import io.millrace.metrics.CacheUse;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A tokenizer in use: it turns UTF-8 text into the ids of a vocabulary. One thread uses a tokenizer at a time; threads that work at the
 * same time have one each, and share the vocabulary.
 */
public interface Tokenizer extends AutoCloseable {
    /**
     * Appends the ids of a text, without tokens that begin or end a sequence. Added tokens that occur in the text, such as {@code
     * <|endoftext|>}, become their ids, as the library that the vocabulary was made for does.
     *
     * @param utf8 valid UTF-8
     * @param from the first byte of the text
     * @param to the byte after the last one
     * @param ids the ids are appended here
     */
    void encode(byte[] utf8, int from, int to, TokenIds ids);

    /**
     * Appends the ids of a text as {@link #encode(byte[], int, int, TokenIds)} does, and the bytes of each token.
     *
     * @param spans the bytes of each id are appended here, counted from {@code from}
     * @throws IllegalArgumentException when the engine does not know the bytes of a token exactly; the message is a sentence
     */
    void encode(byte[] utf8, int from, int to, TokenIds ids, TokenSpans spans);

    /** Returns the id of a token as the vocabulary spells it, such as {@code <|endoftext|>}; empty when there is none. */
    OptionalInt id(String token);

    /** Returns the number of ids: the largest id and one. */
    int size();

    /** Returns the ids that the tokenizer's template puts before a sequence, such as the one of {@code <s>}. */
    int[] prefix();

    /** Returns the ids that the tokenizer's template puts after a sequence. */
    int[] suffix();

    /** Returns an object that all tokenizers of the same vocabulary share, and no others. */
    Object vocabulary();

    /** Returns the engine for the first lines of a run: {@code millrace} or {@code tokenizers}. */
    String engine();

    /** Returns the use of the cache in which the engine keeps ids; null when it has none. Any thread may call it. */
    default @Nullable CacheUse cacheUse() {
        return null;
    }

    @Override
    void close();
}
