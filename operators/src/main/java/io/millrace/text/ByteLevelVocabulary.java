package io.millrace.text;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A vocabulary of Millrace's own engine, a byte-level BPE. Threads share it.
 *
 * <p>Tested by {@code ByteLevelTokenizerTest}.
 */
final class ByteLevelVocabulary {
    final LibraryVocabulary vocabulary;
    /** The id by a token's characters, of which each stands for a byte. */
    final Map<String, Integer> ids;

    final int[] bytes = new int[256];
    final Cuts cuts;
    final AddedIds added;
    final BytePairMerges merges;
    final boolean wholeFirst;

    /**
     * The cuts of a text.
     *
     * @param pretokens the cuts
     * @param composed whether texts are in the normal form NFC before they are cut
     */
    record Cuts(Pretokens pretokens, boolean composed) {}

    /**
     * The added tokens that become their ids where a text contains them.
     *
     * @param raw the tokens that are found in the text as it is
     * @param normalized the tokens, in their normal form, that are found after that in the normal form of the text between them
     * @param left the ids of the tokens that white space before them belongs to
     * @param right the ids of the tokens that white space after them belongs to
     */
    record AddedIds(Map<String, Integer> raw, Map<String, Integer> normalized, BitSet left, BitSet right) {
        static final AddedIds NONE = new AddedIds(Map.of(), Map.of(), new BitSet(), new BitSet());
    }

    /**
     * Creates a vocabulary.
     *
     * @param ids the id by a token's characters, of which each stands for a byte; among them all single bytes
     * @param wholeFirst whether a pretoken that is a token becomes its id before merges are tried
     */
    ByteLevelVocabulary(
            LibraryVocabulary vocabulary,
            Map<String, Integer> ids,
            BytePairMerges merges,
            boolean wholeFirst,
            Cuts cuts,
            AddedIds added) {
        this.vocabulary = vocabulary;
        this.ids = new HashMap<>(ids);
        this.cuts = cuts;
        this.added = added;
        this.merges = merges;
        this.wholeFirst = wholeFirst;
        for (int i = 0; i < 256; i++) {
            bytes[i] = Objects.requireNonNull(ids.get(String.valueOf(letter(i))));
        }
    }

    /** Returns the character that stands for a byte: itself where it is visible, and the next of U+0100 on elsewhere. */
    static char letter(int value) {
        if ((value >= '!' && value <= '~') || (value >= 0xA1 && value != 0xAD)) {
            return (char) value;
        }
        if (value <= ' ') {
            return (char) (0x100 + value);
        }
        return (char) (value == 0xAD ? 0x143 : 0x121 + value - 0x7F);
    }

    /** Returns the characters that stand for bytes. */
    static String letters(byte[] text, int from, int to) {
        StringBuilder letters = new StringBuilder(to - from);
        for (int i = from; i < to; i++) {
            letters.append(letter(text[i] & 0xFF));
        }
        return letters.toString();
    }

    /** Returns whether a pretoken is a token, and its id; {@code null} when it is none. */
    @Nullable
    Integer whole(byte[] text, int from, int to) {
        return ids.get(letters(text, from, to));
    }

    /** The reason why Millrace's engine does not take a file. */
    static final class OtherEngineException extends Exception {
        private static final long serialVersionUID = 1;

        OtherEngineException(String reason) {
            super(reason);
        }
    }
}
