package io.millrace.option;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A length of time such as {@code 30s}.
 *
 * @param duration the length, at least 0
 */
public record TimeSpan(Duration duration) {
    /** The type of a time, written as {@code 500ms}, {@code 30s}, {@code 5min} or {@code 2h}. */
    public static final OptionType<TimeSpan> TYPE = OptionType.of("time such as 30s or 5min", TimeSpan::parse);

    private static final Map<String, Long> MILLIS = Map.of("ms", 1L, "s", 1000L, "min", 60_000L, "h", 3_600_000L);
    private static final Pattern WRITTEN = Pattern.compile("([0-9]{1,9}) ?(ms|s|min|h)");

    public TimeSpan {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("negative time " + duration);
        }
    }

    /** Returns the type of a time from {@code least} to {@code most}, both included. */
    public static OptionType<TimeSpan> between(TimeSpan least, TimeSpan most) {
        return TYPE.where(
                span -> span.duration.compareTo(least.duration) >= 0 && span.duration.compareTo(most.duration) <= 0,
                "from " + least + " to " + most);
    }

    private static TimeSpan parse(Object raw) {
        if (raw instanceof String text) {
            Matcher matcher = WRITTEN.matcher(text.toLowerCase(Locale.ROOT));
            if (matcher.matches()) {
                long unit = MILLIS.getOrDefault(matcher.group(2), 1L);
                return new TimeSpan(Duration.ofMillis(Long.parseLong(matcher.group(1)) * unit));
            }
        }
        throw OptionType.expected("a time such as 500ms, 30s or 5min", raw);
    }

    @Override
    public String toString() {
        long millis = duration.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        return millis % 60_000 != 0 || millis == 0 ? millis / 1000 + "s" : millis / 60_000 + "min";
    }
}
