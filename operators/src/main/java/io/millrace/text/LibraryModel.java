package io.millrace.text;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * A native tokenizer of Hugging Face's library {@code tokenizers}, which threads may use at the same time. It is freed with the last of
 * its tokenizers.
 *
 * <p>Tested by {@code LibraryTokenizerTest} and {@code SharedVocabulariesTest}.
 */
final class LibraryModel implements LoadedVocabulary {
    private final String source;
    private final TokenizersLibrary library;
    private final LibraryVocabulary vocabulary;
    /** The native tokenizer; 0 after it is freed. Only {@link #tokenizer} and {@link #release} change it and the next field, with the lock. */
    private long handle;

    private int users;

    private LibraryModel(String source, TokenizersLibrary library, LibraryVocabulary vocabulary, long handle) {
        this.source = source;
        this.library = library;
        this.vocabulary = vocabulary;
        this.handle = handle;
    }

    /**
     * Loads a tokenizer.
     *
     * @param source the name of the file, for messages
     * @param vocabulary the tokens of the file
     * @param json a {@code tokenizer.json}
     * @throws TokenizerException when it is damaged, when the library refuses it, or when the native library is missing
     */
    static LibraryModel load(String source, LibraryVocabulary vocabulary, byte[] json) throws TokenizerException {
        TokenizersLibrary library = TokenizersLibraries.load();
        long handle;
        try {
            handle = library.createTokenizerFromString(new String(json, StandardCharsets.UTF_8));
        } catch (RuntimeException e) {
            throw new TokenizerException(source + " is refused by Hugging Face's tokenizers: " + e.getMessage(), e);
        }
        LibraryModel model = new LibraryModel(source, library, vocabulary, handle);
        try {
            library.disableTruncation(handle);
            library.disablePadding(handle);
            model.requireIdsOfAddedTokens();
            return model;
        } catch (IllegalArgumentException e) {
            library.deleteTokenizer(handle);
            throw new TokenizerException(String.valueOf(e.getMessage()), e);
        } catch (TokenizerException | RuntimeException e) {
            library.deleteTokenizer(handle);
            throw e;
        }
    }

    @Override
    public synchronized Optional<Tokenizer> tokenizer() {
        if (handle == 0) {
            return Optional.empty();
        }
        users++;
        return Optional.of(new LibraryTokenizer(this));
    }

    /** Ends the use by a tokenizer. */
    synchronized void release() {
        if (--users == 0) {
            library.deleteTokenizer(handle);
            handle = 0;
        }
    }

    /** Returns the name of the file, for messages. */
    String source() {
        return source;
    }

    LibraryVocabulary vocabulary() {
        return vocabulary;
    }

    TokenizersLibrary library() {
        return library;
    }

    /**
     * Returns the native result of a text, which the caller deletes.
     *
     * @throws IllegalArgumentException when the library cannot encode it
     */
    long encoding(String text) {
        try {
            return library.encode(handle, text, false);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    source + ": Hugging Face's tokenizers cannot make ids of a text of " + text.length()
                            + " characters: " + e.getMessage(),
                    e);
        }
    }

    /** Returns the ids of a text. */
    long[] ids(String text) {
        long encoding = encoding(text);
        try {
            return library.getTokenIds(encoding);
        } finally {
            library.deleteEncoding(encoding);
        }
    }

    /** The library numbers added tokens anew when the file has a gap or names a token of the model with another id. */
    private void requireIdsOfAddedTokens() throws TokenizerException {
        for (Map.Entry<String, Integer> token : vocabulary.added().entrySet()) {
            long[] found = ids(token.getKey());
            if (found.length != 1 || found[0] != token.getValue()) {
                throw new TokenizerException(source + ": expected the id " + token.getValue() + " for the added token "
                        + token.getKey() + ", as the file says, but Hugging Face's tokenizers make "
                        + Arrays.toString(found) + " of it");
            }
        }
    }
}
