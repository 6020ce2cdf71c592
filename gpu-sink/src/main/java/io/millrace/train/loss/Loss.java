package io.millrace.train.loss;

import ai.djl.ndarray.NDArray;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A function that compares the model's outputs with the targets, and that training minimizes. Stateless.
 *
 * <p>A loss is computed by operations on the engine's tensors, whose gradients the engine derives. The results of an
 * operation belong to the tensor on which it is called, and are freed after the step; so a loss begins its operations
 * at {@code outputs} or {@code targets}. It should not read values, for example by {@code toFloatArray()}, because on a
 * GPU a read waits for the whole step.
 */
public interface Loss {
    /**
     * Returns whether whole numbers in the target are classes. If so, the targets are int64 class numbers of shape [rows, 1], or
     * [rows, 1, height, width] for masks, or [rows, 1, length] for tokens; or float32 shares of classes of the outputs' shape. Otherwise the targets are float32
     * values.
     */
    boolean takesClasses();

    /** Returns the class number that is left out, if there is one. */
    default OptionalLong ignored() {
        return OptionalLong.empty();
    }

    /**
     * Returns the loss of each row, pixel or entry, float32. The tensor's first extent is the number of rows.
     *
     * @param outputs the model's outputs, float32 [rows, classes], [rows, classes, height, width] or [rows, classes, length]
     * @param targets the targets of the same rows
     */
    NDArray each(NDArray outputs, NDArray targets);

    /** Returns the mean of {@link #each}, one number, whose gradient trains the model. */
    default NDArray mean(NDArray outputs, NDArray targets) {
        return each(outputs, targets).mean();
    }

    /**
     * Returns the weight of a batch among the batches of one update. It is the number by which {@link #mean} divides:
     * the number of rows, unless the loss leaves out a part of them.
     */
    default Weight weight(NDArray targets) {
        return new Weight.Known(targets.getShape().get(0));
    }

    /** Returns the mean loss of a row times the number of rows, for an evaluation. */
    default double sum(NDArray outputs, NDArray targets) {
        float[] losses = each(outputs, targets).toFloatArray();
        double sum = 0;
        for (float value : losses) {
            sum += value;
        }
        long rows = outputs.getShape().get(0);
        return sum / ((double) losses.length / rows);
    }

    /**
     * Returns {@link #sum} and {@link #hits} as tensors, so that an evaluation does not wait for the device. Empty for a
     * loss that does not override this; an evaluation then waits for each batch.
     */
    default Optional<Sums> sums(NDArray outputs, NDArray targets) {
        return Optional.empty();
    }

    /**
     * The sums of an evaluation batch, on the device of the outputs.
     *
     * @param loss the mean loss of a row times the number of rows, one number
     * @param correct the number of correct answers; null for a loss to which no answer is correct or wrong
     * @param counted the number of answers; null with {@code correct}
     */
    record Sums(
            NDArray loss,
            @Nullable NDArray correct,
            @Nullable NDArray counted) {}

    /** Counts the correct answers of an evaluation; {@link Hits#NONE} for a loss to which no answer is correct or wrong. */
    default Hits hits(NDArray outputs, NDArray targets) {
        return Hits.NONE;
    }

    /**
     * The number of correct answers.
     *
     * @param correct the number of correct answers, or -1 for a loss to which no answer is correct or wrong
     * @param counted the number of answers
     */
    record Hits(long correct, long counted) {
        /** The hits of a loss to which no answer is correct or wrong. */
        public static final Hits NONE = new Hits(-1, 0);
    }
}
