package io.millrace.sequence;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** The packs of a dataset whose documents are all counted, by their numbers in a round. */
public final class PlannedPacks implements Packs {
    private final SequencePlan plan;
    private final PackWindows windows;

    /**
     * Creates the packs.
     *
     * @param plan the plan of these documents
     * @param lengths the lengths that were counted for the plan
     * @throws IllegalArgumentException when the plan is one of another number of documents
     */
    public PlannedPacks(SequencePlan plan, DocumentLengths lengths) {
        if (lengths.size() != plan.documents().size()) {
            throw new IllegalArgumentException("the plan is for "
                    + plan.documents().size() + " documents, but there are lengths of " + lengths.size());
        }
        this.plan = plan;
        this.windows = new PackWindows(plan.documents(), plan.rule(), lengths);
    }

    @Override
    public long documents() {
        return plan.documents().size();
    }

    @Override
    public long size() {
        return plan.packs();
    }

    @Override
    public List<Slice> pack(int round, long number) {
        return windows.slices(plan.place(round, number));
    }

    @Override
    public PlannedPacks planned() {
        return this;
    }

    /**
     * Returns the packs with tokens of a document, as a function of the round. The function returns the numbers of the packs in the round, in
     * no order; none for a document that is bad.
     *
     * @param document the document's index in its dataset, 0 to {@code documents() - 1}
     */
    public IntFunction<long[]> with(long document) {
        long place = plan.documents().place(0, document);
        int number = (int) (place / plan.rule().window());
        WindowPacks packs = windows.packs(number);
        int[] holding = IntStream.range(0, packs.size())
                .filter(pack ->
                        windows.slices(packs, number, pack).stream().anyMatch(slice -> slice.document() == document))
                .toArray();
        return round -> IntStream.of(holding)
                .mapToLong(pack -> plan.number(round, number, pack))
                .toArray();
    }
}
