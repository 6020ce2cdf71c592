package io.millrace.sequence;

import io.millrace.order.EpochOrder;

/** The lengths of the documents of a window, in order of arrival. One thread uses an object for one window after another. */
final class WindowLengths {
    private final EpochOrder documents;
    private final int window;
    private final DocumentLengths all;
    private final long[] indexes;
    private final int[] lengths;

    WindowLengths(EpochOrder documents, PackRule rule, DocumentLengths all) {
        // A shuffle by blocks keeps the group that was used last, which threads would take from each other.
        this.documents = new EpochOrder(documents.seed(), documents.size(), documents.shuffle());
        this.window = rule.window();
        this.all = all;
        int most = (int) Math.min(window, documents.size());
        indexes = new long[most];
        lengths = new int[most];
    }

    /** Reads the lengths of a window and returns the number of its documents. */
    int read(int number) {
        long first = (long) number * window;
        int count = (int) Math.min(window, documents.size() - first);
        // The processor waits for several lengths at the same time if nothing is computed between them.
        for (int i = 0; i < count; i++) {
            indexes[i] = documents.index(0, first + i);
        }
        for (int i = 0; i < count; i++) {
            lengths[i] = all.length(indexes[i]);
        }
        return count;
    }

    /** Returns the lengths of the window that was read last, in an array that the next one overwrites and that may be longer. */
    int[] lengths() {
        return lengths;
    }
}
