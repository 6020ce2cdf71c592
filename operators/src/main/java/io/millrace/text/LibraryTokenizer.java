package io.millrace.text;

import ai.djl.huggingface.tokenizers.jni.CharSpan;
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
        for (long id : encode(text(utf8, from, to))) {
            ids.add((int) id);
        }
    }

    @Override
    public void encode(byte[] utf8, int from, int to, TokenIds ids, TokenSpans spans) {
        String text = text(utf8, from, to);
        long encoding = encoding(text);
        try {
            for (long id : library.getTokenIds(encoding)) {
                ids.add((int) id);
            }
            addSpans(library.getTokenCharSpans(encoding), places(utf8, from, to), spans);
        } finally {
            library.deleteEncoding(encoding);
        }
    }

    /** Appends the spans of tokens, which the library counts in code points of the text before it is normalized. */
    private void addSpans(CharSpan[] found, int[] places, TokenSpans spans) {
        for (int i = 0; i < found.length; i++) {
            CharSpan span = found[i];
            if (span == null || span.getStart() < 0 || span.getEnd() >= places.length) {
                throw new IllegalArgumentException(source + ": the characters of token " + i
                        + " are unknown: expected 0 to " + (places.length - 1) + " from Hugging Face's tokenizers, found "
                        + (span == null ? "none" : span.getStart() + " to " + span.getEnd()));
            }
            spans.add(places[span.getStart()], places[span.getEnd()]);
        }
    }

    /** Returns the first byte of each code point from {@code from} on, and the number of bytes. */
    private static int[] places(byte[] utf8, int from, int to) {
        int[] places = new int[to - from + 1];
        int count = 0;
        for (int i = from; i < to; i++) {
            if ((utf8[i] & 0xC0) != 0x80) {
                places[count++] = i - from;
            }
        }
        places[count++] = to - from;
        return Arrays.copyOf(places, count);
    }

    private String text(byte[] utf8, int from, int to) {
        if (to - from > MOST_BYTES) {
            throw new IllegalArgumentException("The engine tokenizers of " + source + " takes texts of at most "
                    + (MOST_BYTES >> 20) + " MiB, found one of " + (to - from) + " bytes; split it into documents");
        }
        return new String(utf8, from, to - from, StandardCharsets.UTF_8);
    }

    private long[] encode(String text) {
        long encoding = encoding(text);
        try {
            return library.getTokenIds(encoding);
        } finally {
            library.deleteEncoding(encoding);
        }
    }

    /** Returns the native result of a text, which the caller deletes. */
    private long encoding(String text) {
        requireOpen();
        try {
            return library.encode(handle, text, false);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    source + ": Hugging Face's tokenizers cannot make ids of a text of " + text.length()
                            + " characters: " + e.getMessage(),
                    e);
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
