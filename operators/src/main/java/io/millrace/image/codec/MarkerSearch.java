package io.millrace.image.codec;

/** A search for the markers in the entropy-coded data of a JPEG. Stateless and thread-safe. */
@FunctionalInterface
public interface MarkerSearch {
    /**
     * Returns the index of the next byte ff that no zero follows, or of an earlier byte ff: the caller skips zeros that are
     * stuffed into the data.
     *
     * @param encoded the whole file
     * @param from the index of the first byte to search, at most the length
     * @return an index of at least {@code from}; the length when there is no such byte
     */
    int next(byte[] encoded, int from);
}
