package io.millrace.dataset.tar;

import io.millrace.dataset.shard.LostStructureException;

/** An exception for a damaged record in a pax header. */
final class MalformedPaxException extends Exception {
    private static final long serialVersionUID = 1;

    private final long offset;

    /**
     * Creates the exception.
     *
     * @param offset the offset of the record in the file
     * @param reason the content that was expected there, and the content that was found
     */
    MalformedPaxException(long offset, String reason) {
        super(reason);
        this.offset = offset;
    }

    String reason() {
        return String.valueOf(getMessage());
    }

    /** Returns the exception for an archive whose later members all depend on the record. */
    LostStructureException lostStructure() {
        return new LostStructureException(offset, reason());
    }
}
