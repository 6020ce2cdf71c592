package io.millrace.sequence;

import io.millrace.order.EpochOrder;
import io.millrace.sample.Counted;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Objects;

/**
 * The division of a dataset of documents into packs. Packs are formed once, so that each round of the dataset has the same packs: the
 * documents are visited in the order of round 0, and each window of consecutive documents is packed by itself. A round visits a window's
 * packs one after another, in an order of its own. Round 0 visits the windows in the order of the documents, so that packs can be made while
 * their documents are still being counted; each later round shuffles the windows. If the documents are not shuffled, neither are packs and
 * windows.
 *
 * <p>A seek is a binary search in sums of the windows' numbers of packs. Immutable and safe for any thread. It takes 4 bytes of memory for
 * each window, and one byte more for each window in each of a few recent rounds.
 */
public final class SequencePlan implements Serializable {
    private static final long serialVersionUID = 1;

    private static final int RECENT_ROUNDS = 4;

    /** An array holds so many numbers of packs, and the classes that divide windows into blocks need not expect an overflow. */
    private static final int MOST_WINDOWS = Integer.MAX_VALUE - (1 << 10);

    /**
     * The place of a pack.
     *
     * @param window the number of its window in the order of the documents
     * @param first the number in the round of the first pack of this window
     * @param packs the number of packs of this window
     * @param pack the number of the pack in its window, before packs are shuffled
     */
    public record Place(int window, long first, int packs, int pack) {}

    private final EpochOrder documents;
    private final PackRule rule;
    private final int[] counts;
    private final PackTotals totals;
    private final RecentValues<PackSums> rounds = new RecentValues<>(RECENT_ROUNDS);

    /**
     * Creates a plan.
     *
     * @param documents the order of the documents, of which round 0 is used
     * @param counts the number of packs of each window; it is copied
     * @param totals the totals of all windows
     * @throws IllegalArgumentException when the counts do not belong to the order, the rule and the totals
     */
    public SequencePlan(EpochOrder documents, PackRule rule, int[] counts, PackTotals totals) {
        this.documents = documents;
        this.rule = rule;
        this.counts = counts.clone();
        this.totals = totals;
        if (counts.length != windows(documents, rule.window())) {
            throw new IllegalArgumentException("expected the counts of " + windows(documents, rule.window())
                    + " windows for " + documents.size() + " documents, found " + counts.length);
        }
        long sum = 0;
        for (int window = 0; window < counts.length; window++) {
            if (counts[window] < 0) {
                throw new IllegalArgumentException(
                        "expected 0 or more packs in window " + window + ", found " + counts[window]);
            }
            sum += counts[window];
        }
        if (sum != totals.packs()) {
            throw new IllegalArgumentException("expected " + totals.packs() + " packs in all windows, found " + sum);
        }
    }

    /**
     * Returns the number of windows of an order.
     *
     * @throws IllegalArgumentException when there are more than an array holds; the message is a sentence
     */
    static int windows(EpochOrder documents, int window) {
        long windows = (documents.size() + window - 1) / window;
        if (windows > MOST_WINDOWS) {
            throw new IllegalArgumentException("windows of " + Counted.of(window, "document") + " are too small for "
                    + Counted.of(documents.size(), "document"));
        }
        return (int) windows;
    }

    /** Returns the order of the documents. */
    public EpochOrder documents() {
        return documents;
    }

    /** Returns the rule by which documents are packed. */
    public PackRule rule() {
        return rule;
    }

    /** Returns the totals of a round. */
    public PackTotals totals() {
        return totals;
    }

    /** Returns the number of packs of a round. */
    public long packs() {
        return totals.packs();
    }

    /** Returns the number of windows. */
    public int windows() {
        return counts.length;
    }

    /** Returns a copy of the number of packs of each window. */
    int[] counts() {
        return counts.clone();
    }

    /**
     * Returns the place of a pack.
     *
     * @param round how often the dataset has been gone through before, 0 or more
     * @param number the number of the pack in the round, 0 to {@code packs() - 1}
     */
    public Place place(int round, long number) {
        Objects.checkIndex(round, Integer.MAX_VALUE);
        Objects.checkIndex(number, packs());
        return sums(round).place(number);
    }

    /**
     * Returns the number of a pack in a round, for which {@link #place} returns its place.
     *
     * @param round how often the dataset has been gone through before, 0 or more
     * @param window the number of its window in the order of the documents
     * @param pack the number of the pack in its window, before packs are shuffled
     */
    public long number(int round, int window, int pack) {
        Objects.checkIndex(round, Integer.MAX_VALUE);
        Objects.checkIndex(window, counts.length);
        Objects.checkIndex(pack, counts[window]);
        return sums(round).before(window) + WindowShuffle.placeOfPack(documents, round, window, counts[window], pack);
    }

    private PackSums sums(int round) {
        return rounds.value(round, any -> new PackSums(documents, round, counts).extend());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SequencePlan plan
                && documents.equals(plan.documents)
                && rule.equals(plan.rule)
                && totals.equals(plan.totals)
                && Arrays.equals(counts, plan.counts);
    }

    @Override
    public int hashCode() {
        return Objects.hash(documents, rule, totals, Arrays.hashCode(counts));
    }

    @Override
    public String toString() {
        return "SequencePlan[" + documents + ", " + rule + ", " + totals + "]";
    }
}
