package io.millrace.text;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A tokenizer of Hugging Face's library {@code tokenizers}, through DJL's native binding. The engine takes every {@code tokenizer.json}
 * that the library takes: Unigram, WordPiece, BPE with byte fallback, any pattern. It never truncates or pads, whatever the file says.
 *
 * <p>A text passes through a Java string and one native call, which returns only ids. The library holds about 200 bytes for each byte of
 * a text while it works (measured: 1.5 to 2.1 GB for 10 MB), and ends the process when there is no memory, so a text has at most {@link
 * #MOST_BYTES}.
 */
final class LibraryTokenizer implements Tokenizer {
    /** The largest text in bytes. */
    static final int MOST_BYTES = 8 << 20;

    private final String source;
    private final TokenizersLibrary library;
    private final LibraryVocabulary vocabulary;
    private final int size;
    /** The native tokenizer; 0 after it is closed. */
    private long handle;

    private LibraryTokenizer(String source, TokenizersLibrary library, LibraryVocabulary vocabulary, long handle)
            throws TokenizerException {
        this.source = source;
        this.library = library;
        this.vocabulary = vocabulary;
        this.handle = handle;
        this.size = vocabulary.size();
        library.disableTruncation(handle);
        library.disablePadding(handle);
        requireIdsOfAddedTokens();
    }

    /**
     * Opens a tokenizer.
     *
     * @param source the name of the file, for messages
     * @param vocabulary the tokens of the file
     * @param json a {@code tokenizer.json}
     * @throws TokenizerException when it is damaged, when the library refuses it, or when the native library is missing
     */
    static LibraryTokenizer open(String source, LibraryVocabulary vocabulary, byte[] json) throws TokenizerException {
        TokenizersLibrary library = TokenizersLibraries.load();
        long handle;
        try {
            handle = library.createTokenizerFromString(new String(json, StandardCharsets.UTF_8));
        } catch (RuntimeException e) {
            throw new TokenizerException(source + " is refused by Hugging Face's tokenizers: " + e.getMessage(), e);
        }
        try {
            return new LibraryTokenizer(source, library, vocabulary, handle);
        } catch (IllegalArgumentException e) {
            library.deleteTokenizer(handle);
            throw new TokenizerException(String.valueOf(e.getMessage()), e);
        } catch (TokenizerException | RuntimeException e) {
            library.deleteTokenizer(handle);
            throw e;
        }
    }

    @Override
    public void encode(byte[] utf8, int from, int to, TokenIds ids) {
        if (to - from > MOST_BYTES) {
            throw new IllegalArgumentException("The engine tokenizers of " + source + " takes texts of at most "
                    + (MOST_BYTES >> 20) + " MiB, found one of " + (to - from) + " bytes; split it into documents");
        }
        for (long id : encode(new String(utf8, from, to - from, StandardCharsets.UTF_8))) {
            ids.add((int) id);
        }
    }

    private long[] encode(String text) {
        requireOpen();
        long encoding;
        try {
            encoding = library.encode(handle, text, false);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    source + ": Hugging Face's tokenizers cannot make ids of a text of " + text.length()
                            + " characters: " + e.getMessage(),
                    e);
        }
        try {
            return library.getTokenIds(encoding);
        } finally {
            library.deleteEncoding(encoding);
        }
    }

    /** The library numbers added tokens anew when the file has a gap or names a token of the model with another id. */
    private void requireIdsOfAddedTokens() throws TokenizerException {
        for (Map.Entry<String, Integer> token : vocabulary.added().entrySet()) {
            long[] found = encode(token.getKey());
            if (found.length != 1 || found[0] != token.getValue()) {
                throw new TokenizerException(source + ": expected the id " + token.getValue() + " for the added token "
                        + token.getKey() + ", as the file says, but Hugging Face's tokenizers make "
                        + Arrays.toString(found) + " of it");
            }
        }
    }

    private static int[] ints(List<Integer> ids) {
        return ids.stream().mapToInt(Integer::intValue).toArray();
    }

    private void requireOpen() {
        if (handle == 0) {
            throw new IllegalStateException("The tokenizer of " + source + " is closed");
        }
    }

    @Override
    public OptionalInt id(String token) {
        Integer id = vocabulary.ids().get(token);
        return id == null ? OptionalInt.empty() : OptionalInt.of(id);
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public int[] prefix() {
        return ints(vocabulary.template().prefix());
    }

    @Override
    public int[] suffix() {
        return ints(vocabulary.template().suffix());
    }

    @Override
    public String engine() {
        return "tokenizers";
    }

    @Override
    public void close() {
        if (handle != 0) {
            library.deleteTokenizer(handle);
            handle = 0;
        }
    }
}
