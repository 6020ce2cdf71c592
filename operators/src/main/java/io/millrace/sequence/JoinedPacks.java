package io.millrace.sequence;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntToLongFunction;

/** The packs of a window whose tokens follow one another. */
final class JoinedPacks implements WindowPacks {
    private final int length;

    /** The number of tokens before each document, and of all documents. */
    private final long[] before;

    private final int size;

    /**
     * Creates the packs.
     *
     * @param length the number of tokens that a pack holds
     * @param before the number of tokens before each document of the window, and of all of them; the object owns the array
     * @param size the number of packs
     */
    JoinedPacks(int length, long[] before, int size) {
        this.length = length;
        this.before = before;
        this.size = size;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public List<Slice> slices(int pack, IntToLongFunction index) {
        Objects.checkIndex(pack, size);
        int documents = before.length - 1;
        long from = (long) pack * length;
        long to = from + length;
        int found = Arrays.binarySearch(before, 0, documents, from);
        int document = found >= 0 ? found : -found - 2;
        List<Slice> slices = new ArrayList<>();
        for (; document < documents && before[document] < to; document++) {
            long first = Math.max(from, before[document]);
            long end = Math.min(to, before[document + 1]);
            if (first < end) {
                slices.add(new Slice(
                        index.applyAsLong(document), (int) (first - before[document]), (int) (end - before[document])));
            }
        }
        return slices;
    }
}
