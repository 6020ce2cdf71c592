package io.millrace.sequence;

import java.util.Arrays;

/**
 * The packing of the documents of a window, as a pure function of their lengths and a rule. The object only keeps memory for the next
 * window. One thread uses an object.
 *
 * <p>A document without tokens is in no pack, and a window of such documents has no packs: a pack without tokens would be a bad sample in
 * each round.
 */
final class WindowPacker {
    private final PackRule rule;
    private final BestFit fit;
    private final LengthSort sort = new LengthSort();
    private PackTotals totals = PackTotals.NONE;

    WindowPacker(PackRule rule) {
        this.rule = rule;
        boolean fits = rule.policy() == PackPolicy.BEST_FIT || rule.policy() == PackPolicy.BEST_FIT_DECREASING;
        fit = new BestFit(fits ? rule.length() : 1);
    }

    /** Returns the totals of all windows that this object has packed. */
    PackTotals totals() {
        return totals;
    }

    /**
     * Packs a window.
     *
     * @param lengths the length of each document in order of arrival, or {@link DocumentLengths#BAD}
     * @param documents the number of documents, at least 1; {@code lengths} may be longer
     * @throws IllegalArgumentException when the window has more than 2^31 - 1 packs; the message is a sentence
     */
    WindowPacks pack(int[] lengths, int documents) {
        int[] used = new int[documents];
        long tokens = 0;
        long unused = 0;
        long full = 0;
        int empty = 0;
        for (int i = 0; i < documents; i++) {
            used[i] = rule.used(lengths[i]);
            tokens += used[i];
            unused += Math.max(0, lengths[i]) - used[i];
            full += used[i] < rule.length() ? 0 : used[i] / rule.length();
            empty += used[i] == 0 ? 1 : 0;
        }
        if (full > Integer.MAX_VALUE - documents) {
            throw new IllegalArgumentException("a window of " + documents + " documents with " + tokens
                    + " tokens has more than 2^31 - 1 packs of " + rule.length()
                    + " tokens: expected longer packs or a smaller window");
        }
        WindowPacks packs = rule.policy() == PackPolicy.CONCAT ? join(used, tokens) : fit(used, (int) full);
        totals = totals.plus(new PackTotals(packs.size(), tokens, unused, split(used), empty));
        return packs;
    }

    private long split(int[] used) {
        long split = 0;
        long before = 0;
        boolean joined = rule.policy() == PackPolicy.CONCAT;
        for (int tokens : used) {
            long from = joined ? before % rule.length() : 0;
            split += from + tokens > rule.length() ? 1 : 0;
            before += tokens;
        }
        return split;
    }

    private JoinedPacks join(int[] used, long tokens) {
        long[] before = new long[used.length + 1];
        for (int i = 0; i < used.length; i++) {
            before[i + 1] = before[i] + used[i];
        }
        return new JoinedPacks(rule.length(), before, (int) ((tokens + rule.length() - 1) / rule.length()));
    }

    private FittedPacks fit(int[] used, int full) {
        int[] bins = new int[used.length];
        int count = bins(used, bins);
        int[] filling = new int[Math.min(full, used.length)];
        int[] filledBefore = new int[filling.length + 1];
        int fillers = 0;
        int[] starts = new int[count + 1];
        for (int i = 0; i < used.length; i++) {
            if (used[i] >= rule.length()) {
                filling[fillers] = i;
                filledBefore[fillers + 1] = filledBefore[fillers] + used[i] / rule.length();
                fillers++;
            }
            if (bins[i] >= 0 && bins[i] + 2 < starts.length) {
                starts[bins[i] + 2]++;
            }
        }
        for (int bin = 2; bin < starts.length; bin++) {
            starts[bin] += starts[bin - 1];
        }
        int[] members = new int[used.length];
        int placed = 0;
        for (int i = 0; i < used.length; i++) {
            if (bins[i] >= 0) {
                members[starts[bins[i] + 1]++] = i;
                placed++;
            }
        }
        return new FittedPacks(
                rule.length(),
                used,
                Arrays.copyOf(filling, fillers),
                Arrays.copyOf(filledBefore, fillers + 1),
                Arrays.copyOf(members, placed),
                starts);
    }

    /** Writes the bin of each document, or -1 for one without tokens or that only fills packs alone, and returns the number of bins. */
    private int bins(int[] used, int[] bins) {
        if (rule.policy() == PackPolicy.NONE) {
            int count = 0;
            for (int i = 0; i < used.length; i++) {
                bins[i] = used[i] % rule.length() == 0 ? -1 : count++;
            }
            return count;
        }
        int[] rests = new int[used.length];
        int[] placed = new int[used.length];
        int count = 0;
        for (int i = 0; i < used.length; i++) {
            rests[i] = used[i] < rule.length() ? used[i] : used[i] % rule.length();
            if (rests[i] > 0) {
                placed[count++] = i;
            }
        }
        if (rule.policy() == PackPolicy.BEST_FIT_DECREASING) {
            placed = sort.longestFirst(placed, count, rests, rule.length());
        }
        fit.clear();
        for (int i = 0; i < count; i++) {
            bins[placed[i]] = fit.place(rests[placed[i]]);
        }
        for (int i = 0; i < used.length; i++) {
            if (rests[i] == 0) {
                bins[i] = -1;
            }
        }
        return fit.bins();
    }
}
