package io.millrace.train;

import io.millrace.option.Choice;
import java.util.List;

/** The losses that a pipeline file can name. Stateless. */
public final class Losses {
    private static final List<Named<Maker>> ALL = List.of(
            new Named<>(
                    "cross_entropy",
                    "For classes: minus the logarithm of the softmax of the label's output, mean over the batch.",
                    List.of(),
                    Loss.CrossEntropy::new),
            new Named<>(
                    "mean_squared_error",
                    "For numbers: the squared difference between the model's only output and the label's value.",
                    List.of(),
                    Losses::meanSquaredError));

    /** Makes a loss. */
    @FunctionalInterface
    interface Maker {
        Loss make(int classes, int capacity);
    }

    private Losses() {}

    /** Every loss, for the configuration and the documentation. */
    public static List<Choice> all() {
        return List.copyOf(ALL);
    }

    /**
     * Makes the loss for a model with so many outputs and batches of up to {@code capacity} rows.
     *
     * @throws TrainSpecException when there is no such loss, or it does not go with the model
     */
    static Loss open(TrainSpec.Part loss, int classes, int capacity) {
        return Named.find(ALL, "loss", loss).make(classes, capacity);
    }

    private static Loss meanSquaredError(int classes, int capacity) {
        if (classes != 1) {
            throw new TrainSpecException("mean_squared_error compares one output with the label's value: expected"
                    + " a model with classes: 1, found " + classes);
        }
        return new Loss.MeanSquaredError(capacity);
    }
}
