package io.millrace.sequence;

import io.millrace.order.EpochOrder;
import java.util.Arrays;
import java.util.Objects;

/**
 * The packs of round 0 of a dataset whose documents are counted while it is read. The plan grows by the windows whose documents are all
 * counted, in their order. When it has all windows, it is the plan that {@link PackCounter} makes. Any thread may use it.
 */
public final class GrowingPlan {
    private final EpochOrder documents;
    private final PackRule rule;
    private final CountedWindows windows;

    /** The number of packs of each window; {@link PackSums#NOT_COUNTED} for one that the plan does not have yet. */
    private final int[] counts;

    private final PackSums sums;
    private final WindowPacker packer;
    private final WindowLengths window;

    /**
     * Creates a plan without windows.
     *
     * @param documents the order of the documents, of which round 0 is used
     * @param lengths the lengths of all documents, of which some are {@link DocumentLengths#NOT_COUNTED}
     * @param windows how far these documents are counted, in windows of the rule
     */
    public GrowingPlan(EpochOrder documents, PackRule rule, DocumentLengths lengths, CountedWindows windows) {
        this.documents = documents;
        this.rule = rule;
        this.windows = windows;
        counts = new int[windows.windows()];
        Arrays.fill(counts, PackSums.NOT_COUNTED);
        sums = new PackSums(documents, 0, counts);
        packer = new WindowPacker(rule);
        window = new WindowLengths(documents, rule, lengths);
    }

    /**
     * Adds the windows up to the first one that was not counted when the counted windows were extended last.
     *
     * @throws IllegalArgumentException when a window has too many packs; the message is a sentence
     */
    public synchronized void extend() {
        for (int next = sums.places(); next < windows.grown(); next++) {
            int size = window.read(next);
            counts[next] = packer.pack(window.lengths(), size).size();
            sums.extend();
        }
    }

    /** Returns the number of packs of the windows that the plan has. */
    public synchronized long packs() {
        return sums.packs();
    }

    /** Returns the totals of the windows that the plan has. */
    public synchronized PackTotals totals() {
        return packer.totals();
    }

    /** Returns whether the plan has all windows. */
    public synchronized boolean isComplete() {
        return sums.places() == counts.length;
    }

    /**
     * Returns the place of a pack in round 0.
     *
     * @param number the number of the pack, 0 to {@code packs() - 1}
     */
    public synchronized SequencePlan.Place place(long number) {
        return sums.place(Objects.checkIndex(number, sums.packs()));
    }

    /**
     * Returns the plan of all rounds.
     *
     * @throws IllegalStateException when a window is missing
     */
    public synchronized SequencePlan plan() {
        if (!isComplete()) {
            throw new IllegalStateException("only " + sums.places() + " of " + counts.length + " windows are counted");
        }
        return new SequencePlan(documents, rule, counts, packer.totals());
    }
}
