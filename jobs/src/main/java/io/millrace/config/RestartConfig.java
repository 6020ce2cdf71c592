package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.TimeSpan;
import java.time.Duration;

/**
 * The number of times that a failed job is restarted from its last checkpoint.
 *
 * @param attempts the largest number of restarts, 0 for none
 * @param delay the pause before each restart
 */
public record RestartConfig(int attempts, Duration delay) {
    /** The restarts of an embedded Flink when the file has no section {@code restart}. */
    public static final RestartConfig STANDARD = new RestartConfig(3, Duration.ofSeconds(1));

    /**
     * The shortest pause. Flink tells the coordinator of a source in the background that a failure has aborted a checkpoint. If the
     * restart comes first, what the coordinator had to tell the source is lost, and the next checkpoint waits for it in vain
     * until its timeout.
     */
    private static final TimeSpan LEAST_DELAY = new TimeSpan(Duration.ofMillis(100));

    static final Option<Object> SECTION = Option.of(
                    "restart",
                    Types.structure("section"),
                    "How often a failed job is restarted. Default: on a cluster the restart strategy of the cluster,"
                            + " otherwise 3 attempts, 1s apart.")
            .optional();
    static final Option<Integer> ATTEMPTS = Option.of(
                    "attempts",
                    Types.between(0, Integer.MAX_VALUE),
                    "The largest number of restarts of a failed job from its last checkpoint; 0: none.")
            .orElse(STANDARD.attempts)
            .decides(Identity.NOTHING);
    static final Option<TimeSpan> DELAY = Option.of(
                    "delay",
                    TimeSpan.between(LEAST_DELAY, new TimeSpan(Duration.ofDays(1))),
                    "The time between a failure and the restart.")
            .orElse(new TimeSpan(STANDARD.delay))
            .decides(Identity.NOTHING);
    static final Bound<RestartConfig> KEYS = Bound.of(RestartConfig.class);
}
