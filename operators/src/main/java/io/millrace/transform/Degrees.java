package io.millrace.transform;

import io.millrace.option.OptionType;
import io.millrace.order.SampleRandom;
import java.util.List;

/**
 * A range of angles in degrees, from which an angle is drawn uniformly.
 *
 * @param from the smallest angle
 * @param to the largest angle, at least {@code from}
 */
record Degrees(double from, double to) {
    static final Degrees ZERO = new Degrees(0, 0);

    /** The option type: a number for [-number, number], or both ends. */
    static final OptionType<Degrees> OPTION = OptionType.of("number or [least, most]", Degrees::parse);

    /** Draws an angle. */
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

    /** Returns the range between two raw numbers, which are part of {@code raw}. */
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

    /** Returns the range as a pipeline file writes it. The documentation prints default values in this form. */
    @Override
    public String toString() {
        return String.valueOf(List.of(from, to));
    }
}
