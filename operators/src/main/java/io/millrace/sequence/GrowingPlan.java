package io.millrace.sequence;

import io.millrace.order.EpochOrder;
import java.util.AbstractList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The packs of round 0 of a dataset whose documents are counted while they are read. Windows may be counted in any order, also by several
 * threads. A pack has a number as soon as all windows before its own are counted. When all windows are counted, the object has the plan that
 * {@link PackCounter} makes.
 */
public final class GrowingPlan {
    private final EpochOrder documents;
    private final PackRule rule;

    /** The number of packs of each window; 0 for one that is not counted. */
    private final int[] counts;

    private final PackSums sums;
    private PackTotals totals = PackTotals.NONE;
    private long counted;

    /**
     * Creates a plan without windows.
     *
     * @param documents the order of the documents, of which round 0 is used
     */
    public GrowingPlan(EpochOrder documents, PackRule rule) {
        this.documents = documents;
        this.rule = rule;
        counts = new int[SequencePlan.windows(documents, rule)];
        sums = new PackSums(documents, 0, counts);
    }

    /**
     * Counts a window and returns its packs in the order of round 0. A window may be counted again with the same lengths.
     *
     * @param window the number of the window in the order of the documents
     * @param lengths the length of each of its documents in this order, or {@link DocumentLengths#BAD}
     * @return the packs, each of which is computed when it is fetched
     * @throws IllegalArgumentException when the window has another number of documents, or too many packs; the message is a sentence
     * @throws IllegalStateException when the window had another number of packs before
     */
    public List<List<Slice>> add(int window, int[] lengths) {
        long first = (long) window * rule.window();
        long size = Math.min(rule.window(), documents.size() - first);
        if (window < 0 || window >= counts.length || lengths.length != size) {
            throw new IllegalArgumentException("window " + window + " of " + counts.length + " has " + Math.max(0, size)
                    + " documents, but there are lengths of " + lengths.length);
        }
        WindowPacker packer = new WindowPacker(rule);
        WindowPacks added = packer.pack(lengths, lengths.length);
        count(window, added.size(), packer.totals(), lengths.length);
        IntUnaryOperator shuffle = WindowShuffle.ofPacks(documents, 0, window, added.size());
        return new AbstractList<>() {
            @Override
            public List<Slice> get(int number) {
                return added.slices(shuffle.applyAsInt(number), inWindow -> documents.index(0, first + inWindow));
            }

            @Override
            public int size() {
                return added.size();
            }
        };
    }

    private synchronized void count(int window, int count, PackTotals ofWindow, int size) {
        if (counts[window] != 0) {
            if (counts[window] != count) {
                throw new IllegalStateException(
                        "the lengths of the documents have changed since they were counted: window " + window + " had "
                                + counts[window] + " packs, and now has " + count);
            }
            return;
        }
        counts[window] = count;
        totals = totals.plus(ofWindow);
        counted += size;
        sums.extend();
    }

    /** Returns the number of documents in windows that are counted. */
    public synchronized long counted() {
        return counted;
    }

    /** Returns the number of packs whose places are known: those of the windows before the first one that is not counted. */
    public synchronized long packs() {
        return sums.packs();
    }

    /** Returns whether all windows are counted. */
    public synchronized boolean isComplete() {
        return sums.places() == counts.length;
    }

    /**
     * Returns the place of a pack in round 0.
     *
     * @param number the number of the pack, 0 or more
     * @throws IllegalStateException when it is not known yet; the message is a sentence for the user
     */
    public synchronized SequencePlan.Place place(long number) {
        if (number >= sums.packs()) {
            throw new IllegalStateException(
                    "pack " + number + " is not known yet: the documents are still being counted, " + counted + " of "
                            + documents.size() + " so far, and the first " + sums.packs() + " packs are known");
        }
        return sums.place(number);
    }

    /**
     * Returns the plan of all rounds.
     *
     * @throws IllegalStateException when a window is not counted
     */
    public synchronized SequencePlan plan() {
        if (!isComplete()) {
            throw new IllegalStateException("only " + counted + " of " + documents.size() + " documents are counted");
        }
        return new SequencePlan(documents, rule, counts, totals);
    }
}
