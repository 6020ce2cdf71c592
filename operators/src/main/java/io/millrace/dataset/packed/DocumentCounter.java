package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import java.io.IOException;
import java.io.Serializable;
import java.util.function.IntToLongFunction;

/** The counting of the tokens of documents. One thread uses and closes a counter. */
public interface DocumentCounter extends AutoCloseable {
    /**
     * Returns the number of tokens of a document, or {@link io.millrace.sequence.DocumentLengths#BAD}.
     *
     * @param reading the reading of the document
     * @param number the number of the document in the reading
     * @param document the index of the document in its dataset
     * @throws IOException when documents cannot be read or counted at all
     */
    int count(Dataset.Reading reading, int number, long document) throws IOException;

    /** Returns the CPU time in nanoseconds of the latest count that no stage accounts for when the document is in a batch. */
    long cpuNanos();

    @Override
    void close();

    /** The description of a counter, as Flink brings it to the tasks. */
    interface Spec extends Serializable {
        /**
         * Begins the reading of documents for a counter.
         *
         * @param count the number of documents
         * @param indexes the index of each of them
         */
        Dataset.Reading reading(Dataset documents, int count, IntToLongFunction indexes);

        /**
         * Opens a counter, which adds the bad documents to their list.
         *
         * @param soon whether the documents will soon be read for batches
         */
        DocumentCounter open(Dataset documents, boolean soon);

        /** Returns the path of the list of bad documents, which exists if there are any. */
        String badDocuments();
    }
}
