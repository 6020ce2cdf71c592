package io.millrace.batch;

/** The exception for a number that the wire type of its field cannot represent. The sample is bad, not the pipeline. */
final class BadValueException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private BadValueException(String message) {
        super(message);
    }

    /**
     * Returns the exception for a number that the wire type cannot represent.
     *
     * @param column the column of the field
     * @param found the number, as text
     * @param at the index of the element, from 0
     */
    static BadValueException of(BatchSpec.Column column, String found, int at) {
        return new BadValueException(
                "'" + column.name() + "' has the wire type " + column.dtype().word() + ", which cannot represent "
                        + found + " at element " + at + ": batch.wire sets the wire type");
    }

    /** Returns the exception for values that are not binary. Binary values are all 0 or 1, or all 0 or 255. */
    static BadValueException notBinary(BatchSpec.Column column, int found, int at) {
        return new BadValueException("'" + column.name()
                + "' has the wire form bits: expected 0 and 1, or 0 and 255, found " + found + " at element " + at);
    }
}
