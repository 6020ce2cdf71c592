package io.millrace.transform;

import io.millrace.option.OptionType;
import java.util.List;

/**
 * Positive numbers between two ends, for drawing from.
 *
 * @param from the least, over 0
 * @param to the most, not under {@code from}
 */
record Range(double from, double to) {
    /** A list of two positive numbers in order. */
    static final OptionType<Range> OPTION = OptionType.of("[least, most]", Range::parse);

    private static Range parse(Object raw) {
        if (raw instanceof List<?> list
                && list.size() == 2
                && list.get(0) instanceof Number from
                && list.get(1) instanceof Number to
                && from.doubleValue() > 0
                && from.doubleValue() <= to.doubleValue()
                && Double.isFinite(to.doubleValue())) {
            return new Range(from.doubleValue(), to.doubleValue());
        }
        throw OptionType.expected("[least, most], two numbers over 0 in order", raw);
    }

    /** As a pipeline file would have it; the documentation prints defaults so. */
    @Override
    public String toString() {
        return String.valueOf(List.of(from, to));
    }
}
