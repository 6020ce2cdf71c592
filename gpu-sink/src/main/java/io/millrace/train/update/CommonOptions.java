package io.millrace.train.update;

import io.millrace.option.Option;
import io.millrace.option.OptionType;

/** The options that several optimizers have. */
final class CommonOptions {
    static final OptionType<Double> NOT_NEGATIVE = OptionType.NUMBER.where(n -> n >= 0, "0 or more");
    static final OptionType<Double> FRACTION = OptionType.NUMBER.where(n -> n >= 0 && n < 1, "0 to below 1");

    static final Option<Double> LEARNING_RATE = Option.of(
                    "learning_rate", NOT_NEGATIVE, "The learning rate, which the schedule scales.")
            .orElse(0.001)
            .alsoCalled("lr", "rate", "alpha", "eta");
    static final Option<Double> WEIGHT_DECAY = Option.of(
                    "weight_decay",
                    NOT_NEGATIVE,
                    "The factor by which the weights are multiplied before they are added to the gradient.")
            .orElse(0.0)
            .alsoCalled("wd", "decay", "l2");

    private CommonOptions() {}
}
