package io.millrace.sequence;

import java.util.List;
import java.util.function.IntToLongFunction;

/** The packs of one window of documents, before they are shuffled. Immutable. */
sealed interface WindowPacks permits FittedPacks, JoinedPacks {
    /** Returns the number of packs; 0 if no document has tokens. */
    int size();

    /**
     * Returns the parts of documents in a pack, none of them empty, in the order of the documents in the window.
     *
     * @param pack 0 to {@code size() - 1}
     * @param index the index in the dataset of each document of the window
     */
    List<Slice> slices(int pack, IntToLongFunction index);
}
