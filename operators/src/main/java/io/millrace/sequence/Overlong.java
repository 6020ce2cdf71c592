package io.millrace.sequence;

/** The treatment of documents with more tokens than a pack holds. */
public enum Overlong {
    /** They become full packs and a rest, which is packed as a document. No token is lost. */
    SPLIT,
    /** Their first tokens fill a pack, and the other tokens are not used. */
    CUT,
    /** They are bad samples, which are in no pack. */
    REFUSE
}
