package io.millrace.sequence;

/**
 * A part of a document in a pack: the whole document, or where it was split a run of its tokens.
 *
 * @param document the document's index in its dataset
 * @param from the first token
 * @param to the token after the last one; equal to {@code from} for a document without tokens, which is a member of a pack only so that it
 *     is read and accounted for
 */
public record Slice(long document, int from, int to) {
    /** Returns the number of tokens. */
    public int length() {
        return to - from;
    }
}
