package io.millrace.sequence;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The packs of a dataset by their numbers. The packs of recent windows stay in memory: a new window costs the lookup of the lengths of its
 * documents. Any thread may use the object if it may use the lengths.
 */
public final class Packs {
    private static final int RECENT_WINDOWS = 16;

    private final SequencePlan plan;
    private final DocumentLengths lengths;
    private final RecentValues<WindowPacks> windows = new RecentValues<>(RECENT_WINDOWS);

    /**
     * Creates the packs.
     *
     * @param plan the plan of these documents
     * @param lengths the lengths that were counted for the plan
     * @throws IllegalArgumentException when the plan is one of another number of documents
     */
    public Packs(SequencePlan plan, DocumentLengths lengths) {
        if (lengths.size() != plan.documents().size()) {
            throw new IllegalArgumentException("the plan is for "
                    + plan.documents().size() + " documents, but there are lengths of " + lengths.size());
        }
        this.plan = plan;
        this.lengths = lengths;
    }

    /** Returns the plan. */
    public SequencePlan plan() {
        return plan;
    }

    /**
     * Returns the parts of documents in a pack.
     *
     * @param round how often the dataset has been gone through before, 0 or more
     * @param number the number of the pack in the round, 0 to {@code plan().packs() - 1}
     * @throws IllegalStateException when a length differs from the one that was counted, so that the window has another number of packs
     */
    public List<Slice> pack(int round, long number) {
        SequencePlan.Place place = plan.place(round, number);
        int window = place.window();
        WindowPacks packs = windows.value(window, any -> window(window));
        if (packs.size() != place.packs()) {
            throw new IllegalStateException("the lengths of the documents have changed since they were counted: window "
                    + window + " had " + place.packs() + " packs, and now has " + packs.size());
        }
        return packs.slices(place.pack(), inWindow -> plan.document(window, inWindow));
    }

    /**
     * Returns the packs with tokens of a document, as a function of the round. The function returns the numbers of the packs in the round, in
     * no order; none for a document that is bad.
     *
     * @param document the document's index in its dataset, 0 to {@code plan().documents().size() - 1}
     */
    public IntFunction<long[]> with(long document) {
        long place = plan.documents().place(0, document);
        int number = (int) (place / plan.rule().window());
        WindowPacks packs = windows.value(number, any -> window(number));
        int[] holding = IntStream.range(0, packs.size())
                .filter(pack -> packs.slices(pack, inWindow -> plan.document(number, inWindow)).stream()
                        .anyMatch(slice -> slice.document() == document && slice.length() > 0))
                .toArray();
        return round -> IntStream.of(holding)
                .mapToLong(pack -> plan.number(round, number, pack))
                .toArray();
    }

    private WindowPacks window(int number) {
        WindowLengths window = new WindowLengths(plan.documents(), plan.rule(), lengths);
        int documents = window.read(number);
        return new WindowPacker(plan.rule()).pack(window.lengths(), documents);
    }
}
