package io.millrace.sequence;

import io.millrace.order.EpochOrder;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/**
 * The counting of the packs of a dataset. The windows are divided among the threads of the process's common pool, and the result does not
 * depend on their number.
 */
public final class PackCounter {
    /** The number of windows that a thread counts with the same memory. */
    private static final int BLOCK = 64;

    private final EpochOrder documents;
    private final PackRule rule;
    private final DocumentLengths lengths;
    private final LongAdder counted = new LongAdder();

    /**
     * Creates a counter.
     *
     * @param documents the order of the documents, of which round 0 is used
     * @param lengths the lengths of all documents, which several threads use
     * @throws IllegalArgumentException when the order has another number of documents
     */
    public PackCounter(EpochOrder documents, PackRule rule, DocumentLengths lengths) {
        if (lengths.size() != documents.size()) {
            throw new IllegalArgumentException(
                    "the order has " + documents.size() + " documents, but there are lengths of " + lengths.size());
        }
        this.documents = documents;
        this.rule = rule;
        this.lengths = lengths;
    }

    /** Returns how many documents have been counted so far. Any thread may call it. */
    public long counted() {
        return counted.sum();
    }

    /**
     * Counts the packs of all windows.
     *
     * @throws IllegalArgumentException when a window has too many packs; the message is a sentence
     */
    public SequencePlan count() {
        int[] counts = new int[SequencePlan.windows(documents, rule.window())];
        PackTotals totals = IntStream.range(0, (counts.length + BLOCK - 1) / BLOCK)
                .parallel()
                .mapToObj(block -> count(counts, block * BLOCK))
                .reduce(PackTotals.NONE, PackTotals::plus);
        return new SequencePlan(documents, rule, counts, totals);
    }

    private PackTotals count(int[] counts, int from) {
        int to = from + Math.min(BLOCK, counts.length - from);
        WindowPacker packer = new WindowPacker(rule);
        WindowLengths window = new WindowLengths(documents, rule, lengths);
        for (int number = from; number < to; number++) {
            int size = window.read(number);
            counts[number] = packer.pack(window.lengths(), size).size();
            counted.add(size);
        }
        return packer.totals();
    }
}
