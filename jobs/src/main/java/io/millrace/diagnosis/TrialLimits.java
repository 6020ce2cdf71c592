package io.millrace.diagnosis;

import java.time.Duration;

/**
 * The limits of a trial, in which a pipeline runs until its speed is known.
 *
 * @param warmUp the time after the first step that is not measured because the JVM still compiles, at least 0
 * @param spread the spread at which the speed counts as steady: half the distance between the quartiles, divided by the
 *     median; above 0
 * @param longest the longest time after the first step; then the trial ends with the speed measured so far, as soon as
 *     there is one
 * @param timeout the time after submission at which the trial fails when no speed could be measured, at least {@code
 *     longest}
 */
public record TrialLimits(Duration warmUp, double spread, Duration longest, Duration timeout) {
    /** The time between {@code longest} and the default timeout, for jobs that take long for each batch. */
    private static final Duration LONGER = Duration.ofMinutes(10);

    /** The limits for commands whose user waits for the result. */
    public static final TrialLimits STANDARD = new TrialLimits(Duration.ofSeconds(3), 0.03, Duration.ofSeconds(15));

    /** Creates limits with a timeout so long that only a pipeline that seems to stand still reaches it. */
    public TrialLimits(Duration warmUp, double spread, Duration longest) {
        this(warmUp, spread, longest, longest.plus(LONGER));
    }

    public TrialLimits {
        if (timeout.compareTo(longest) < 0) {
            throw new IllegalArgumentException("timeout: expected at least " + longest + ", found " + timeout);
        }
        if (warmUp.isNegative() || warmUp.compareTo(longest) >= 0) {
            throw new IllegalArgumentException(
                    "warm-up: expected at least 0 and less than " + longest + ", found " + warmUp);
        }
        if (!(spread > 0)) {
            throw new IllegalArgumentException("spread: expected more than 0, found " + spread);
        }
    }
}
