package io.millrace.config;

import io.millrace.option.OptionType;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Consecutive training steps, written as {@code 48200-48260} or as one number.
 *
 * @param first the first step, at least 0
 * @param last the last step
 */
public record StepRange(long first, long last) {
    private static final Pattern WRITTEN = Pattern.compile("(\\d{1,18})(?:\\s*-\\s*(\\d{1,18}))?");

    /** The type of an option. */
    static final OptionType<StepRange> TYPE =
            OptionType.of("step, or first-last", StepRange::parse).writtenAs(StepRange::toString);

    private static StepRange parse(Object raw) {
        Matcher matcher = WRITTEN.matcher(String.valueOf(raw));
        if (!matcher.matches()) {
            throw OptionType.expected("a step or a range of steps, such as 48200-48260", raw);
        }
        long first = Long.parseLong(matcher.group(1));
        long last = matcher.group(2) == null ? first : Long.parseLong(matcher.group(2));
        if (last < first) {
            throw OptionType.expected("a range of steps with its lower end first", raw);
        }
        return new StepRange(first, last);
    }

    @Override
    public String toString() {
        return first == last ? String.valueOf(first) : first + "-" + last;
    }
}
