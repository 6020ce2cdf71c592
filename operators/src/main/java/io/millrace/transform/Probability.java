package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionType;

/** The option {@code p} of transforms that are applied with a probability. */
final class Probability {
    static final OptionType<Double> TYPE =
            OptionType.NUMBER.where(value -> value >= 0 && value <= 1, "a number from 0 to 1");

    static final Option<Double> OPTION = Option.of("p", TYPE, "The probability that the transform changes a sample.")
            .orElse(0.5);

    private Probability() {}
}
