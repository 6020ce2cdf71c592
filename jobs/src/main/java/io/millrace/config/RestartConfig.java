package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.TimeSpan;
import java.time.Duration;
import java.util.List;

/**
 * How often a job that failed is started again from its last checkpoint.
 *
 * @param attempts at most so many times
 * @param delay before each
 */
public record RestartConfig(int attempts, Duration delay) {
    /** Where nothing else is said. */
    public static final RestartConfig STANDARD = new RestartConfig(3, Duration.ofSeconds(1));

    static final Option<Integer> ATTEMPTS = Option.of(
                    "attempts",
                    Types.between(0, Integer.MAX_VALUE),
                    "How often a failed job is started again from its last checkpoint; 0: never.")
            .orElse(STANDARD.attempts);
    static final Option<TimeSpan> DELAY = Option.of(
                    "delay",
                    TimeSpan.between(new TimeSpan(Duration.ZERO), new TimeSpan(Duration.ofDays(1))),
                    "How long after a failure.")
            .orElse(new TimeSpan(STANDARD.delay));
    static final List<Option<?>> OPTIONS = List.of(ATTEMPTS, DELAY);

    static RestartConfig read(Section section) {
        return new RestartConfig(section.get(ATTEMPTS), section.get(DELAY).duration());
    }
}
