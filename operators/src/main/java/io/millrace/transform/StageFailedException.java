package io.millrace.transform;

/**
 * The exception for a transform that fails for another reason than a bad sample. The transform is at fault, so the job
 * ends.
 */
public class StageFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception that names the stage and the sample.
     *
     * @param stage the name of the stage
     * @param index the sample's index in its dataset
     * @param key the sample's name in messages
     * @param cause the failure
     */
    public StageFailedException(String stage, long index, String key, RuntimeException cause) {
        super("stage " + stage + " failed on sample " + index + " (" + key + "): " + describe(cause), cause);
    }

    /** Returns the message alone where the pipeline is wrong, because it is a sentence for the user. */
    private static String describe(RuntimeException cause) {
        return cause instanceof IllegalStateException && cause.getMessage() != null
                ? cause.getMessage()
                : cause.toString();
    }
}
