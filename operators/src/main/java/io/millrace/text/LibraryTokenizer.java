package io.millrace.text;

import ai.djl.huggingface.tokenizers.jni.CharSpan;
import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
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

    private final LibraryModel model;
    /** Whether the tokenizer is in use, so that its model is not freed. */
    private boolean open = true;

    /** Creates a tokenizer, which {@link LibraryModel#tokenizer} has counted as a user of the model. */
    LibraryTokenizer(LibraryModel model) {
        this.model = model;
    }

    @Override
    public void encode(byte[] utf8, int from, int to, TokenIds ids) {
        for (long id : model.ids(text(utf8, from, to))) {
            ids.add((int) id);
        }
    }

    @Override
    public Object vocabulary() {
        return model;
    }

    @Override
    public void encode(byte[] utf8, int from, int to, TokenIds ids, TokenSpans spans) {
        TokenizersLibrary library = model.library();
        long encoding = model.encoding(text(utf8, from, to));
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
                throw new IllegalArgumentException(model.source() + ": the characters of token " + i
                        + " are unknown: expected 0 to " + (places.length - 1)
                        + " from Hugging Face's tokenizers, found "
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
        if (!open) {
            throw new IllegalStateException("The tokenizer of " + model.source() + " is closed");
        }
        if (to - from > MOST_BYTES) {
            throw new IllegalArgumentException("The engine tokenizers of " + model.source()
                    + " takes texts of at most " + (MOST_BYTES >> 20) + " MiB, found one of " + (to - from)
                    + " bytes; split it into documents");
        }
        return new String(utf8, from, to - from, StandardCharsets.UTF_8);
    }

    private static int[] ints(List<Integer> ids) {
        return ids.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public OptionalInt id(String token) {
        return model.vocabulary().id(token);
    }

    @Override
    public int size() {
        return model.vocabulary().size();
    }

    @Override
    public int[] prefix() {
        return ints(model.vocabulary().template().prefix());
    }

    @Override
    public int[] suffix() {
        return ints(model.vocabulary().template().suffix());
    }

    @Override
    public String engine() {
        return "tokenizers";
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            model.release();
        }
    }
}
