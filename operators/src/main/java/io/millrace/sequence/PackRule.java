package io.millrace.sequence;

import java.io.Serializable;
import java.util.Arrays;

/**
 * The rule by which documents become packs.
 *
 * @param length the number of tokens that a pack holds, 1 to {@value #MOST_LENGTH}
 * @param policy the way in which documents are put into packs
 * @param window the number of consecutive documents of the order that are packed together, 1 to {@value #MOST_WINDOW}
 * @param overlong the treatment of documents with more tokens than {@code length}
 */
public record PackRule(int length, PackPolicy policy, int window, Overlong overlong) implements Serializable {
    /** The largest number of tokens of a pack. The packing needs 4 bytes of memory for each, in each thread. */
    public static final int MOST_LENGTH = 1 << 24;

    /** The largest number of documents of a window. */
    public static final int MOST_WINDOW = 1 << 20;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when a value is out of range, or the policy cannot treat documents in this way; the message is a
     *     sentence for the user
     */
    public PackRule {
        requireRange("the length of a pack", length, MOST_LENGTH, "tokens");
        requireRange("the window", window, MOST_WINDOW, "documents");
        if (policy == PackPolicy.CONCAT && overlong != Overlong.SPLIT) {
            throw new IllegalArgumentException(
                    "the policy concat splits documents wherever a pack ends, so that long ones cannot be "
                            + (overlong == Overlong.CUT ? "cut" : "refused")
                            + ": expected best_fit, best_fit_decreasing or none, or that long documents are split");
        }
    }

    private static void requireRange(String what, int value, int most, String unit) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(what + " must be 1 to " + most + " " + unit + ", found " + value);
        }
    }

    /**
     * Returns the number of a document's tokens that are packed: 0 for a document that is bad, empty or refused.
     *
     * @param tokens the document's length, or {@link DocumentLengths#BAD}
     */
    public int used(int tokens) {
        if (tokens <= length) {
            return Math.max(0, tokens);
        }
        return overlong == Overlong.SPLIT ? tokens : overlong == Overlong.CUT ? length : 0;
    }

    /** Returns whether a document of this length is a bad sample because it is too long. */
    public boolean refuses(int tokens) {
        return tokens > length && overlong == Overlong.REFUSE;
    }

    /**
     * Returns the totals of some documents that are packed by themselves.
     *
     * @param lengths the length of each document in their order, or {@link DocumentLengths#BAD}
     */
    public PackTotals totals(int[] lengths) {
        WindowPacker packer = new WindowPacker(this);
        for (int from = 0; from < lengths.length; from += window) {
            int[] part = Arrays.copyOfRange(lengths, from, (int) Math.min(lengths.length, (long) from + window));
            packer.pack(part, part.length);
        }
        return packer.totals();
    }
}
