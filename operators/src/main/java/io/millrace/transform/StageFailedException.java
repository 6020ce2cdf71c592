package io.millrace.transform;

/** A transform failed on a sample that is not known to be bad: an error of the transform. Ends the job. */
public class StageFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Names the stage and the sample.
     *
     * @param index the sample's index in its dataset
     * @param key what a person calls the sample
     */
    public StageFailedException(String stage, long index, String key, RuntimeException cause) {
        super("stage " + stage + " failed on sample " + index + " (" + key + "): " + cause, cause);
    }
}
