package io.millrace.transform;

import io.millrace.option.OptionType;
import java.util.List;

/**
 * A range of positive numbers, from which a number is drawn.
 *
 * @param from the smallest number, above 0
 * @param to the largest number, at least {@code from}
 */
record DrawnRange(double from, double to) {
    /** The option type: a list of two positive numbers in order. */
    static final OptionType<DrawnRange> OPTION = OptionType.of("[least, most]", DrawnRange::parse);

    private static DrawnRange parse(Object raw) {
        if (raw instanceof List<?> list
                && list.size() == 2
                && list.get(0) instanceof Number from
                && list.get(1) instanceof Number to
                && from.doubleValue() > 0
                && from.doubleValue() <= to.doubleValue()
                && Double.isFinite(to.doubleValue())) {
            return new DrawnRange(from.doubleValue(), to.doubleValue());
        }
        throw OptionType.expected("[least, most], two numbers above 0 in order", raw);
    }

    /** Returns the range as a pipeline file writes it. The documentation prints default values in this form. */
    @Override
    public String toString() {
        return String.valueOf(List.of(from, to));
    }
}
