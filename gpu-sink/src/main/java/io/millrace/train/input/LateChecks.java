package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDArray;
import io.millrace.sample.Split;
import io.millrace.train.spec.TrainSpecException;
import java.util.ArrayList;
import java.util.List;

/**
 * Class numbers of the batch in use that only the device has: what they lie between is known when the device has come so
 * far. Belongs to one thread.
 */
public final class LateChecks {
    /** At most so many fields of class numbers in a batch. */
    public static final int MOST = 15;

    /**
     * One field's.
     *
     * @param extremes the lowest and the highest number, float64 [2]
     */
    public record Check(String field, int classes, PtNDArray extremes) {
        /**
         * Checks what was found.
         *
         * @throws LabelOutOfRangeException when a number is no class
         */
        public void require(Split split, long step, double lowest, double highest) {
            if (lowest < 0 || highest >= classes) {
                throw new LabelOutOfRangeException(split, step, field, lowest, highest, classes);
            }
        }
    }

    private List<Check> checks = new ArrayList<>();

    /** To be checked; the array lives as long as the batch's others. */
    void add(String field, int classes, PtNDArray extremes) {
        if (checks.size() == MOST) {
            throw new TrainSpecException("a model takes class numbers of at most " + MOST + " fields");
        }
        checks.add(new Check(field, classes, extremes));
    }

    /** What was added since the last call. */
    public List<Check> take() {
        List<Check> taken = checks;
        checks = new ArrayList<>();
        return taken;
    }
}
