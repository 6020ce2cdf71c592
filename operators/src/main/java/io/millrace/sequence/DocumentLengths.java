package io.millrace.sequence;

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

    /** Returns those of some documents that are not counted, in their order. */
    default long[] uncounted(LongStream documents) {
        return documents.filter(document -> length(document) == NOT_COUNTED).toArray();
    }
}
