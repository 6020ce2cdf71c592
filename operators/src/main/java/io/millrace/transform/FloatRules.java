package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.Collections;
import java.util.List;

/**
 * The constants and options of {@code ToFloat}, {@code Normalize} and {@code ConvertColor}, which are the same on the
 * data servers and on the device. Stateless.
 */
public final class FloatRules {
    private static final OptionType<Double> POSITIVE = OptionType.NUMBER.where(n -> n > 0, "above 0");

    /** The divisor of {@code ToFloat}. */
    public static final Option<Double> SCALE =
            Option.of("scale", POSITIVE, "The divisor of every value.").orElse(255.0);

    /** The means of {@code Normalize}. */
    public static final Option<List<Double>> MEAN = Option.of(
            "mean",
            OptionType.listOf(OptionType.NUMBER),
            "The mean that is subtracted: one number per channel, or one for all.");

    /** The standard deviations of {@code Normalize}. */
    public static final Option<List<Double>> STD = Option.of(
            "std",
            OptionType.listOf(POSITIVE),
            "The standard deviation, which is the divisor: one number per channel, or one for all.");

    /** The matrix of JPEG's YCbCr with full range, row by row. */
    public static final List<Float> COLOR_ROWS =
            List.of(0.299f, 0.587f, 0.114f, -0.16874f, -0.33126f, 0.5f, 0.5f, -0.41869f, -0.08131f);

    /** The numbers that are added to the product of matrix and pixel. */
    public static final List<Float> COLOR_OFFSET = List.of(0f, 128f, 128f);

    private FloatRules() {}

    /**
     * Returns one number for each channel.
     *
     * @param key the key of the option, for the error message
     * @param given one number, or one for each channel
     * @param channels the number of channels
     * @throws IllegalArgumentException when {@code given} has another number of elements
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
