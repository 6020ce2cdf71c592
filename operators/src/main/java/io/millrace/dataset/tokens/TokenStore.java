package io.millrace.dataset.tokens;

import io.millrace.dataset.BadSampleException;
import java.io.Closeable;
import java.io.IOException;

/** Documents that are stored as ids of tokens. Safe for several threads. */
interface TokenStore extends Closeable {
    /** Returns the number of documents, 1 or more. */
    long documents();

    /** Returns the bytes of all ids. */
    long bytes();

    /**
     * Reads a document.
     *
     * @throws BadSampleException when the document has no tokens, a value is no id, or the file is damaged there
     */
    Document read(long index) throws IOException;

    /**
     * A document.
     *
     * @param file the last part of the name of its file
     * @param number its number within the file
     * @param ids its ids, int32 little-endian; the caller owns the array
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
    record Document(String file, long number, byte[] ids) {}
}
