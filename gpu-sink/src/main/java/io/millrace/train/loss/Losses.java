package io.millrace.train.loss;

import io.millrace.option.Choice;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.train.spec.Named;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;
import java.util.OptionalLong;

/** The losses that a pipeline file can name. Stateless. */
public final class Losses {
    private static final Option<Long> IGNORE_INDEX = Option.of(
                    "ignore_index",
                    OptionType.LONG,
                    "A class number that is left out, as 255 for the borders in many segmentation masks.")
            .optional();

    private static final List<Named<Maker>> ALL = List.of(
            new Named<>(
                    "cross_entropy",
                    "For classes: minus the logarithm of the softmax of the label's output, mean over the batch, and over the"
                            + " pixels of masks. Targets may be shares of classes.",
                    List.of(IGNORE_INDEX),
                    options -> new Loss.CrossEntropy(
                            options.find(IGNORE_INDEX).map(OptionalLong::of).orElse(OptionalLong.empty()))),
            new Named<>(
                    "binary_cross_entropy",
                    "For outputs that are each yes or no: multi-label targets and binary masks of 0 and 1; outputs are logits.",
                    List.of(),
                    options -> new Loss.BinaryCrossEntropy()),
            new Named<>(
                    "mean_squared_error",
                    "For numbers: the squared difference between the model's outputs and the target's values.",
                    List.of(),
                    options -> new Loss.MeanSquaredError()));

    /** Makes a loss. */
    @FunctionalInterface
    interface Maker {
        public Loss make(OptionValues options);
    }

    private Losses() {}

    /** Every loss, for the configuration and the documentation. */
    public static List<Choice> all() {
        return List.copyOf(ALL);
    }

    /**
     * Makes a loss.
     *
     * @throws TrainSpecException when there is none of that name
     */
    public static Loss make(TrainSpec.Part loss) {
        return Named.find(ALL, "loss", loss).make(loss.options());
    }
}
