package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.Collections;
import java.util.List;

/**
 * What {@code ToFloat}, {@code Normalize} and {@code ConvertColor} compute with: the same wherever that is done.
 * Stateless.
 */
public final class FloatRules {
    private static final OptionType<Double> POSITIVE = OptionType.NUMBER.where(n -> n > 0, "above 0");

    /** Of {@code ToFloat}. */
    public static final Option<Double> SCALE =
            Option.of("scale", POSITIVE, "What every value is divided by.").orElse(255.0);

    /** Of {@code Normalize}. */
    public static final Option<List<Double>> MEAN = Option.of(
            "mean", OptionType.listOf(OptionType.NUMBER), "Subtracted: one number per channel, or one for all.");

    /** Of {@code Normalize}. */
    public static final Option<List<Double>> STD =
            Option.of("std", OptionType.listOf(POSITIVE), "Divided by: one number per channel, or one for all.");

    /** JPEG's YCbCr, full range: a matrix, row by row. */
    public static final List<Float> COLOR_ROWS =
            List.of(0.299f, 0.587f, 0.114f, -0.16874f, -0.33126f, 0.5f, 0.5f, -0.41869f, -0.08131f);

    /** What is added behind the matrix. */
    public static final List<Float> COLOR_OFFSET = List.of(0f, 128f, 128f);

    private FloatRules() {}

    /**
     * A number for each channel.
     *
     * @param key the option, for the error
     * @throws IllegalArgumentException when neither one is given nor one for each
     */
    public static List<Float> perChannel(String key, List<Double> given, int channels) {
        if (given.size() != 1 && given.size() != channels) {
            throw new IllegalArgumentException("Normalize: '" + key + "' has " + given.size()
                    + " numbers, expected 1 or one for each of the " + channels + " channels");
        }
        List<Double> each = given.size() == 1 ? Collections.nCopies(channels, given.get(0)) : given;
        return each.stream().map(Double::floatValue).toList();
    }
}
