package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDArray;
import io.millrace.sample.Split;
import io.millrace.train.spec.TrainSpecException;
import java.util.ArrayList;
import java.util.List;

/**
 * The checks of class numbers that only the device can read. The smallest and the largest number are available when the
 * device has finished the step. Belongs to one thread.
 */
public final class LateChecks {
    /** The largest number of fields of class numbers in a batch. */
    public static final int MOST = 15;

    /**
     * The check of one field.
     *
     * @param extremes the smallest and the largest number, float64 [2]
     */
    public record Check(String field, int classes, PtNDArray extremes) {
        /**
         * Checks the numbers.
         *
         * @throws LabelOutOfRangeException when a number is not a class
         */
        public void require(Split split, long step, double lowest, double highest) {
            if (lowest < 0 || highest >= classes) {
                throw new LabelOutOfRangeException(split, step, field, lowest, highest, classes);
            }
        }
    }

    private List<Check> checks = new ArrayList<>();

    /** Adds a check. The array must stay open as long as the other arrays of the batch. */
    void add(String field, int classes, PtNDArray extremes) {
        if (checks.size() == MOST) {
            throw new TrainSpecException("a model accepts class numbers of at most " + MOST + " fields");
        }
        checks.add(new Check(field, classes, extremes));
    }

    /** Returns the checks that were added since the last call. */
    public List<Check> take() {
        List<Check> taken = checks;
        checks = new ArrayList<>();
        return taken;
    }
}
