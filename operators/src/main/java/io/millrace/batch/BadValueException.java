package io.millrace.batch;

/** A sample with a number that the type in which its field travels does not have: the sample is bad, not the pipeline. */
final class BadValueException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private BadValueException(String message) {
        super(message);
    }

    /** {@code found} is at an element of that number. */
    static BadValueException of(BatchSpec.Column column, String found, int at) {
        return new BadValueException(
                "'" + column.name() + "' is sent as " + column.dtype().word() + ", which does not have " + found
                        + ", found at element " + at + ": batch.wire says in which type it is sent");
    }

    /** Neither only 0 and 1 nor only 0 and 255. */
    static BadValueException notBinary(BatchSpec.Column column, int found, int at) {
        return new BadValueException("'" + column.name() + "' is sent as bits: expected 0 and 1, or 0 and 255, found "
                + found + " at element " + at);
    }
}
