package io.millrace.sequence;

import java.io.Serializable;

/**
 * The counts of documents and tokens in the packs of one or more windows.
 *
 * @param packs the number of packs
 * @param tokens the number of tokens in packs
 * @param unused the number of tokens that are in no pack, because long documents are cut or refused
 * @param split the number of documents with tokens in more than one pack
 * @param empty the number of documents without tokens in a pack: those that are bad, empty or refused
 */
public record PackTotals(long packs, long tokens, long unused, long split, long empty) implements Serializable {
    /** The totals of no window. */
    public static final PackTotals NONE = new PackTotals(0, 0, 0, 0, 0);

    /** Returns the sum of the totals of different windows. */
    public PackTotals plus(PackTotals other) {
        return new PackTotals(
                packs + other.packs,
                tokens + other.tokens,
                unused + other.unused,
                split + other.split,
                empty + other.empty);
    }

    /**
     * Returns the share of the places of all packs that hold tokens, 0 to 1; 0 without packs.
     *
     * @param length the number of tokens that a pack holds
     */
    public double fill(int length) {
        return packs == 0 ? 0 : (double) tokens / length / packs;
    }
}
