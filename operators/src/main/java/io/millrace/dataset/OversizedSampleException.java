package io.millrace.dataset;

/** An exception for a sample that is larger than a sample may be. A run in whose first samples there is one does not start. */
public final class OversizedSampleException extends BadSampleException {
    private static final long serialVersionUID = 1;

    /** Creates the exception as {@link BadSampleException} does. */
    public OversizedSampleException(String file, long offset, String reason) {
        super(file, offset, reason);
    }
}
