package io.millrace.sequence;

import java.io.IOException;
import java.util.stream.LongStream;

/** The number of tokens of each document of a dataset. Several threads may ask at once. */
public interface DocumentLengths {
    /** The length of a document that cannot be read or tokenised. */
    int BAD = -1;

    /** The length of a document that has not been counted yet. */
    int NOT_COUNTED = -2;

    /** Returns the number of documents. */
    long size();

    /**
     * Returns the number of tokens of a document, 0 or more, {@link #BAD}, or {@link #NOT_COUNTED} while they are being
     * counted.
     *
     * @param document the document's index in its dataset, 0 to {@code size() - 1}
     */
    int length(long document);

    /**
     * Waits until some documents are counted.
     *
     * @param documents the indexes of the documents in their dataset
     * @param nanos the longest time to wait, 0 or more
     * @return false when one of them is not counted yet
     * @throws IOException when they can never be counted; the message is a sentence
     * @throws java.io.InterruptedIOException when the calling thread is interrupted
     */
    default boolean await(long[] documents, long nanos) throws IOException {
        return true;
    }

    /** Returns those of some documents that are not counted, in their order. */
    default long[] uncounted(LongStream documents) {
        return documents.filter(document -> length(document) == NOT_COUNTED).toArray();
    }
}
