package io.millrace.transform;

import io.millrace.option.OptionType;
import io.millrace.order.SampleRandom;
import java.util.List;

/**
 * A range from which the factor or the angle of a colour change is drawn uniformly.
 *
 * @param from the smallest value
 * @param to the largest value, at least {@code from}
 */
record Jitter(double from, double to) {
    /**
     * The option type of factors: a number x for {@code max(0, 1 - x)} to {@code 1 + x}, or [least, most], both at
     * least 0.
     */
    static final OptionType<Jitter> FACTOR =
            OptionType.of("number or [least, most]", raw -> parse(raw, 1, 0, Float.MAX_VALUE, "of at least 0"));

    /**
     * The option type of hue turns: a number x up to 0.5 for {@code -x} to {@code x}, or [least, most] within -0.5 to
     * 0.5.
     */
    static final OptionType<Jitter> TURN =
            OptionType.of("number or [least, most]", raw -> parse(raw, 0, -0.5, 0.5, "of -0.5 to 0.5"));

    /**
     * Returns whether the range has other factors than 1. Like torchvision, the transform leaves out a step with factor
     * 1 alone.
     */
    boolean changesFactor() {
        return from != 1 || to != 1;
    }

    /**
     * Returns whether the range has other turns than 0. A turn of 0 is left out, because the conversion to HSV and back
     * changes some values by a level.
     */
    boolean turns() {
        return from != 0 || to != 0;
    }

    /** Draws a value. */
    double draw(SampleRandom random) {
        return random.nextDouble(from, to);
    }

    private static Jitter parse(Object raw, double centre, double least, double most, String words) {
        if (raw instanceof Number number && number.doubleValue() >= 0 && centre + number.doubleValue() <= most) {
            return new Jitter(Math.max(centre - number.doubleValue(), least), centre + number.doubleValue());
        }
        if (raw instanceof List<?> list
                && list.size() == 2
                && list.get(0) instanceof Number from
                && list.get(1) instanceof Number to
                && least <= from.doubleValue()
                && from.doubleValue() <= to.doubleValue()
                && to.doubleValue() <= most) {
            return new Jitter(from.doubleValue(), to.doubleValue());
        }
        throw OptionType.expected(
                (most < 1 ? "a number from 0 to " + most : "a number of at least 0") + " or [least, most], two numbers "
                        + words + " in order",
                raw);
    }
}
