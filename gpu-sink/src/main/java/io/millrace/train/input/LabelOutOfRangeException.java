package io.millrace.train.input;

import io.millrace.sample.Split;
import java.util.Locale;

/** The exception for a label or class number that is not one of the model's classes. */
public final class LabelOutOfRangeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception for a label.
     *
     * @param split the split whose dataset has the sample
     * @param index the sample's index in that dataset
     */
    public LabelOutOfRangeException(Split split, long index, long label, int classes) {
        super((split == Split.TRAIN ? "training" : "evaluation") + " sample " + index + " has label " + label
                + ", but the model has " + classes + " classes: expected 0 to " + (classes - 1));
    }

    /**
     * Creates the exception for class numbers of a field that only the device can read.
     *
     * @param step the number of the step whose batch has them
     */
    public LabelOutOfRangeException(Split split, long step, String field, double lowest, double highest, int classes) {
        super(String.format(
                Locale.ROOT,
                "the %s batch of step %d has class numbers from %.0f to %.0f in '%s', but there are %d classes:"
                        + " expected 0 to %d. Set device.kind to host to see the sample in the error message",
                split == Split.TRAIN ? "training" : "evaluation",
                step,
                lowest,
                highest,
                field,
                classes,
                classes - 1));
    }

    /**
     * Creates the exception for a class number of a field.
     *
     * @param place the place of the number, for example "at [3, 4] of 'mask'"
     */
    public LabelOutOfRangeException(Split split, long index, long number, int classes, String place) {
        super((split == Split.TRAIN ? "training" : "evaluation") + " sample " + index + " has class " + number + " "
                + place + ", but there are " + classes + " classes: expected 0 to " + (classes - 1));
    }
}
