package io.millrace.text;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A vocabulary of Millrace's own engine, a byte-level BPE. Threads share it.
 *
 * <p>Tested by {@code ByteLevelTokenizerTest}.
 */
final class ByteLevelVocabulary implements LoadedVocabulary {
    /** The byte that a character stands for; -1 where it stands for none. */
    private static final short[] LETTERS = new short[0x144];

    static {
        Arrays.fill(LETTERS, (short) -1);
        for (int value = 0; value < 256; value++) {
            LETTERS[letter(value)] = (short) value;
        }
    }

    final LibraryVocabulary vocabulary;
    final Cuts cuts;
    /** The added tokens that are found in the text as it is. */
    final AddedTokens raw;
    /** The added tokens that are found after that in the normal form of the text between them. */
    final AddedTokens normalized;
    /** The added tokens that white space before them, or after them, belongs to. */
    final BitSet left;

    final BitSet right;
    /** The number of bytes of a token by its id; 0 where there is none. */
    final int[] lengths;
    /** The pretokens that are one token. */
    final ByteTokens whole;

    private final int[] bytes = new int[256];
    private final BytePairMerges merges;
    private final int[] byteRanks;

    /**
     * The cuts of a text.
     *
     * @param pretokens the cuts
     * @param composed the {@code tokenizer.json} which says that texts are in the normal form NFC before they are cut; null where they
     *     stay as they are
     */
    record Cuts(Pretokens pretokens, @Nullable Path composed) {}

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
        this.cuts = cuts;
        this.merges = merges;
        raw = new AddedTokens(added.raw());
        normalized = new AddedTokens(added.normalized());
        left = added.left();
        right = added.right();
        for (int i = 0; i < 256; i++) {
            bytes[i] = Objects.requireNonNull(ids.get(String.valueOf(letter(i))));
        }
        byteRanks = PairMerger.byteRanks(merges, bytes);
        whole = whole(ids, wholeFirst);
        lengths = new int[vocabulary.size()];
        ids.forEach((token, id) -> lengths[id] = token.length());
        added.raw().forEach((token, id) -> lengths[id] = token.getBytes(StandardCharsets.UTF_8).length);
        added.normalized().forEach((token, id) -> lengths[id] = token.getBytes(StandardCharsets.UTF_8).length);
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

    /** Returns the bytes of a token whose characters each stand for one; {@code null} when a character stands for none. */
    private static byte @Nullable [] bytesOf(String token) {
        byte[] bytes = new byte[token.length()];
        for (int i = 0; i < bytes.length; i++) {
            char letter = token.charAt(i);
            int value = letter < LETTERS.length ? LETTERS[letter] : -1;
            if (value < 0) {
                return null;
            }
            bytes[i] = (byte) value;
        }
        return bytes;
    }

    /** Returns the tokens that a pretoken of their bytes becomes: all of them if whole tokens come first, and otherwise those that the merges make. */
    private ByteTokens whole(Map<String, Integer> ids, boolean first) {
        PairMerger merger = merger();
        List<byte[]> tokens = new ArrayList<>();
        List<Integer> found = new ArrayList<>();
        ids.forEach((token, id) -> {
            byte[] text = bytesOf(token);
            if (text != null
                    && text.length > 0
                    && (first || (merger.merge(text, 0, text.length) == 1 && merger.ids()[0] == id))) {
                tokens.add(text);
                found.add(id);
            }
        });
        return new ByteTokens(tokens, found.stream().mapToInt(Integer::intValue).toArray());
    }

    @Override
    public Optional<Tokenizer> tokenizer() {
        return Optional.of(new ByteLevelTokenizer(this));
    }

    /** Returns a merger for one thread. */
    PairMerger merger() {
        return new PairMerger(merges, bytes, byteRanks);
    }

    /** The reason why Millrace's engine does not take a file. */
    static final class OtherEngineException extends Exception {
        private static final long serialVersionUID = 1;

        OtherEngineException(String reason) {
            super(reason);
        }
    }
}
