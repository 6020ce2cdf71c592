package io.millrace.sequence;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntToLongFunction;

/**
 * The packs of a window whose documents are not split, except those that are longer than a pack. The packs that such a document fills
 * alone come first, and are computed, because a document may have millions of them. The others are bins of whole documents and of rests of
 * long ones.
 */
final class FittedPacks implements WindowPacks {
    private final int length;
    private final int[] used;

    /** The documents that fill packs alone, and the number of such packs before each of them and at the end. */
    private final int[] filling;

    private final int[] filledBefore;

    /** The documents of the bins, bin by bin, and the place of the first one of each bin. */
    private final int[] members;

    private final int[] starts;

    /**
     * Creates the packs. The object owns the arrays.
     *
     * @param length the number of tokens that a pack holds
     * @param used the number of tokens of each document that are packed
     * @param filling the documents with at least {@code length} tokens, ascending
     * @param filledBefore the number of full packs of the documents of {@code filling} before each of them, and of all of them
     * @param members the documents of the bins, bin by bin
     * @param starts the place in {@code members} of the first document of each bin, and their number
     */
    FittedPacks(int length, int[] used, int[] filling, int[] filledBefore, int[] members, int[] starts) {
        this.length = length;
        this.used = used;
        this.filling = filling;
        this.filledBefore = filledBefore;
        this.members = members;
        this.starts = starts;
    }

    private int filled() {
        return filledBefore[filling.length];
    }

    @Override
    public int size() {
        return filled() + starts.length - 1;
    }

    @Override
    public List<Slice> slices(int pack, IntToLongFunction index) {
        Objects.checkIndex(pack, size());
        if (pack < filled()) {
            int found = Arrays.binarySearch(filledBefore, 0, filling.length, pack);
            int i = found >= 0 ? found : -found - 2;
            int from = (pack - filledBefore[i]) * length;
            return List.of(new Slice(index.applyAsLong(filling[i]), from, from + length));
        }
        int bin = pack - filled();
        List<Slice> slices = new ArrayList<>(starts[bin + 1] - starts[bin]);
        for (int i = starts[bin]; i < starts[bin + 1]; i++) {
            int tokens = used[members[i]];
            slices.add(new Slice(index.applyAsLong(members[i]), tokens - tokens % length, tokens));
        }
        return slices;
    }
}
