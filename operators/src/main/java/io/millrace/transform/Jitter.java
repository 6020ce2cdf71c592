package io.millrace.transform;

import io.millrace.option.OptionType;
import io.millrace.order.SampleRandom;
import java.util.List;

/**
 * How much a property is changed: a factor drawn uniformly.
 *
 * @param from the least
 * @param to the most, not under {@code from}
 */
record Jitter(double from, double to) {
    /** A number x for factors of {@code max(0, 1 - x)} to {@code 1 + x}, or [least, most], both 0 or more. */
    static final OptionType<Jitter> FACTOR =
            OptionType.of("number or [least, most]", raw -> parse(raw, 1, 0, Float.MAX_VALUE, "0 or more"));

    /** A number x up to 0.5 for turns of {@code -x} to {@code x}, or [least, most] within -0.5 to 0.5. */
    static final OptionType<Jitter> TURN =
            OptionType.of("number or [least, most]", raw -> parse(raw, 0, -0.5, 0.5, "of -0.5 to 0.5"));

    /** Whether not all factors are 1: otherwise torchvision leaves the step out. */
    boolean changesFactor() {
        return from != 1 || to != 1;
    }

    /** Whether not all turns are 0, which would go to HSV and back, and lose a level here and there. */
    boolean turns() {
        return from != 0 || to != 0;
    }

    /** A factor of this range. */
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
                "a number from 0" + (most < 1 ? " to " + most : "") + " or [least, most], two numbers " + words
                        + " in order",
                raw);
    }
}
