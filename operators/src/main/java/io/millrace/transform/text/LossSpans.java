package io.millrace.transform.text;

import io.millrace.dataset.BadSampleException;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.text.TokenSpans;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;

/**
 * The parts of a text that a loss counts, and the tokens that are in them. The rule is that of {@code return_assistant_tokens_mask} in
 * Hugging Face's transformers: a part has the tokens from the one with its first character to the one with its last character. If
 * several tokens share a character, each of these two is the first of them.
 */
final class LossSpans {
    private static final String TEXT = "text";
    private static final String SPANS = "loss_spans";

    private final Sample sample;
    private final String name;
    private final byte[] utf8;
    private final IntBuffer places;

    private LossSpans(Sample sample, String name, byte[] utf8, IntBuffer places) {
        this.sample = sample;
        this.name = name;
        this.utf8 = utf8;
        this.places = places;
    }

    /** Returns the name of the field with the parts of a text: {@code chosen_loss_spans} for {@code chosen_text}. */
    static String fieldOf(String text) {
        return text.endsWith(TEXT) ? text.substring(0, text.length() - TEXT.length()) + SPANS : text + "_" + SPANS;
    }

    /** Returns the name of the field with the mask of tokens: {@code chosen_label_mask} for {@code chosen_tokens}. */
    static String maskOf(String tokens) {
        return tokens.endsWith(Tokenize.TOKENS)
                ? tokens.substring(0, tokens.length() - Tokenize.TOKENS.length()) + Tokenize.LABEL_MASK
                : tokens + "_" + Tokenize.LABEL_MASK;
    }

    /**
     * Returns the parts of a text.
     *
     * @param name a field of the sample: int32 [parts, 2], the first byte of each part, and the one after its last
     * @throws IllegalStateException when the field has another type or shape
     * @throws BadSampleException when a part is not within the text, or begins or ends within a character
     */
    static LossSpans of(Sample sample, String name, byte[] utf8) throws BadSampleException {
        Field field = sample.field(name);
        int[] shape = field.shape();
        if (field.dtype() != DType.INT32 || shape.length != 2 || shape[1] != 2) {
            throw new IllegalStateException(Tokenize.NAME + " expected int32 [parts, 2] in the field '" + name + "' of "
                    + sample.key() + ", the first byte of each part and the one after its last, found " + field);
        }
        IntBuffer places =
                ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
        LossSpans spans = new LossSpans(sample, name, utf8, places);
        spans.check();
        return spans;
    }

    /**
     * Requires that a sample has no parts of a text that a loss counts but which has another name. Without this check, the loss would
     * silently count prompts.
     *
     * @param text the field of the text
     * @throws IllegalStateException when it has
     */
    static void requireNone(Sample sample, String text) {
        if (sample.fieldNames().contains(SPANS) && !sample.fieldNames().contains(TEXT)) {
            throw new IllegalStateException(Tokenize.NAME + " expected the field '" + fieldOf(text) + "' of "
                    + sample.key() + " for the parts of '" + text + "' that a loss counts, found '" + SPANS
                    + "': rename it, or remove it if the loss counts everything");
        }
    }

    private void check() throws BadSampleException {
        for (int i = 0; i < places.limit(); i += 2) {
            int begin = places.get(i);
            int end = places.get(i + 1);
            if (begin < 0 || begin > end || end > utf8.length || inCharacter(begin) || inCharacter(end)) {
                throw new BadSampleException(
                        sample.key(),
                        -1,
                        "part " + i / 2 + " of '" + name + "' is [" + begin + ", " + end
                                + "): expected places between characters of the text, 0 to " + utf8.length + " bytes");
            }
        }
    }

    private boolean inCharacter(int at) {
        return at < utf8.length && (utf8[at] & 0xC0) == 0x80;
    }

    /** Sets those of {@code mask[first]} and the following ones to 1 whose tokens are in a part. */
    void mark(TokenSpans tokens, byte[] mask, int first) {
        for (int i = 0; i < places.limit(); i += 2) {
            int begin = places.get(i);
            int last = places.get(i + 1) - 1;
            if (begin > last) {
                continue;
            }
            while (inCharacter(last)) {
                last--;
            }
            int from = tokens.at(begin);
            int to = tokens.at(last);
            // No token may have the last character, for example when it is a space that the tokenizer drops.
            if (to < tokens.size() && tokens.begin(to) <= last) {
                to++;
            }
            if (from < to) {
                Arrays.fill(mask, first + from, first + to, (byte) 1);
            }
        }
    }

    /** Returns whether a part ends where the text ends, so that the loss counts the tokens that end the sequence, too. */
    boolean reachesEnd() {
        for (int i = 0; i < places.limit(); i += 2) {
            if (places.get(i + 1) == utf8.length && places.get(i) < utf8.length) {
                return true;
            }
        }
        return false;
    }
}
