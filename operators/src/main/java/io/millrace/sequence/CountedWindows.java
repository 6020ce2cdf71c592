package io.millrace.sequence;

import io.millrace.order.EpochOrder;

/**
 * How far the documents of a dataset are counted: the windows of round 0 whose documents are all counted, one after another from the first.
 * Any thread may use it.
 *
 * <p>Tested by {@code GrowingPlanTest}.
 */
public final class CountedWindows {
    private final EpochOrder documents;
    private final int window;
    private final DocumentLengths lengths;
    private final int windows;
    private int grown;

    /**
     * Begins with no window.
     *
     * @param documents the order of the documents, of which round 0 is used
     * @param window the number of documents of a window, at least 1
     * @param lengths the lengths of all documents, of which some are {@link DocumentLengths#NOT_COUNTED}
     * @throws IllegalArgumentException when the order has another number of documents, or too many windows; the message is a sentence
     */
    public CountedWindows(EpochOrder documents, int window, DocumentLengths lengths) {
        if (lengths.size() != documents.size()) {
            throw new IllegalArgumentException(
                    "the order has " + documents.size() + " documents, but there are lengths of " + lengths.size());
        }
        // A shuffle by blocks keeps the group that was used last, which threads would take from each other.
        this.documents = new EpochOrder(documents.seed(), documents.size(), documents.shuffle());
        this.window = window;
        this.lengths = lengths;
        windows = SequencePlan.windows(documents, window);
    }

    /** Goes on to the first window with a document that is not counted. */
    public synchronized void extend() {
        while (grown < windows && isCounted(grown)) {
            grown++;
        }
    }

    /** Returns whether all documents of a window are counted, also of one behind the first that is not. */
    public boolean isCounted(int number) {
        long first = (long) number * window;
        for (long i = first; i < Math.min(documents.size(), first + window); i++) {
            if (lengths.length(documents.index(0, i)) == DocumentLengths.NOT_COUNTED) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number of all windows of the dataset. */
    public int windows() {
        return windows;
    }

    /** Returns the number of windows before the first one that is not counted. */
    public synchronized int grown() {
        return grown;
    }

    /** Returns the number of documents in these windows. */
    public synchronized long counted() {
        return Math.min(documents.size(), (long) grown * window);
    }

    /** Returns whether all documents are counted. */
    public synchronized boolean isComplete() {
        return grown == windows;
    }

    /** Returns the window of a document. */
    public int windowOf(long document) {
        return (int) (documents.place(0, document) / window);
    }
}
