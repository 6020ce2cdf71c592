package io.millrace.sequence;

import io.millrace.order.EpochOrder;
import java.util.List;

/**
 * The packs of a dataset's windows. Those of recent windows stay in memory: a new window costs the lookup of the lengths of its documents. Any
 * thread may use the object if it may use the lengths.
 *
 * <p>Tested by {@code SequencePlanTest}.
 */
public final class PackWindows {
    private static final int RECENT = 16;

    private final EpochOrder documents;
    private final PackRule rule;
    private final DocumentLengths lengths;
    private final RecentValues<WindowPacks> recent = new RecentValues<>(RECENT);

    /**
     * Creates the windows of some documents.
     *
     * @param documents the order of the documents, of which round 0 is used
     * @param lengths the lengths of the documents of each window that is asked for
     */
    public PackWindows(EpochOrder documents, PackRule rule, DocumentLengths lengths) {
        this.documents = documents;
        this.rule = rule;
        this.lengths = lengths;
    }

    /**
     * Returns the parts of documents in a pack.
     *
     * @throws IllegalStateException when a length differs from the one that was counted, so that the window has another number of packs
     */
    public List<Slice> slices(SequencePlan.Place place) {
        WindowPacks packs = packs(place.window());
        if (packs.size() != place.packs()) {
            throw new IllegalStateException("the lengths of the documents have changed since they were counted: window "
                    + place.window() + " had " + place.packs() + " packs, and now has " + packs.size());
        }
        return slices(packs, place.window(), place.pack());
    }

    /** Returns the parts of documents in a pack of a window, before packs are shuffled. */
    List<Slice> slices(WindowPacks packs, int window, int pack) {
        return packs.slices(pack, inWindow -> documents.index(0, (long) window * rule.window() + inWindow));
    }

    /** Returns the packs of a window. */
    WindowPacks packs(int window) {
        return recent.value(window, any -> {
            WindowLengths read = new WindowLengths(documents, rule, lengths);
            int count = read.read(window);
            return new WindowPacker(rule).pack(read.lengths(), count);
        });
    }
}
