package io.millrace.sequence;

/**
 * A part of a document in a pack: the whole document, or where it was split a run of its tokens.
 *
 * @param document the document's index in its dataset
 * @param from the first token
 * @param to the token after the last one
 */
public record Slice(long document, int from, int to) {
    /** Returns the number of tokens. */
    public int length() {
        return to - from;
    }
}
