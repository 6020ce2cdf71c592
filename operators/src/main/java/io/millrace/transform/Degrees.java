package io.millrace.transform;

import io.millrace.option.OptionType;
import io.millrace.order.SampleRandom;
import java.util.List;

/**
 * Angles between two ends, for drawing from.
 *
 * @param from the least
 * @param to the most, not under {@code from}
 */
record Degrees(double from, double to) {
    static final Degrees ZERO = new Degrees(0, 0);

    /** A number for [-number, number], or both ends. */
    static final OptionType<Degrees> OPTION = OptionType.of("number or [least, most]", Degrees::parse);

    /** Uniform between the ends. */
    double draw(SampleRandom random) {
        return random.nextDouble(from, to);
    }

    private static Degrees parse(Object raw) {
        if (raw instanceof Number most && most.doubleValue() >= 0 && Double.isFinite(most.doubleValue())) {
            return new Degrees(-most.doubleValue(), most.doubleValue());
        }
        if (raw instanceof List<?> list && list.size() == 2) {
            return between(list.get(0), list.get(1), raw);
        }
        throw expected(raw);
    }

    /** The angles between two raw numbers, which are part of {@code raw}. */
    static Degrees between(Object least, Object most, Object raw) {
        if (least instanceof Number from
                && most instanceof Number to
                && from.doubleValue() <= to.doubleValue()
                && Double.isFinite(from.doubleValue())
                && Double.isFinite(to.doubleValue())) {
            return new Degrees(from.doubleValue(), to.doubleValue());
        }
        throw expected(raw);
    }

    private static IllegalArgumentException expected(Object raw) {
        return OptionType.expected("a number of at least 0, or [least, most] in order, in degrees", raw);
    }

    /** As a pipeline file would have it; the documentation prints defaults so. */
    @Override
    public String toString() {
        return String.valueOf(List.of(from, to));
    }
}
