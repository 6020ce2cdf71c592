package io.millrace.diagnosis;

import java.time.Duration;

/**
 * The limits of a trial, in which a pipeline runs until its speed is known.
 *
 * @param warmUp the least time after the first step that is not measured because the JVM still compiles, at least 0; see {@link CompilerWarmUp}
 * @param spread the spread at which the speed counts as steady: half the distance between the quartiles, divided by the
 *     median; above 0
 * @param longest the longest time after the first step when the speed does not rise and comes in no bursts; then the
 *     trial ends with the speed measured so far, as soon as there is one
 * @param unsteady the longest time after the first step when the speed rises or comes in bursts, at least {@code longest}
 * @param timeout the time after submission at which the trial fails when no speed could be measured, at least {@code
 *     unsteady}
 */
public record TrialLimits(Duration warmUp, double spread, Duration longest, Duration unsteady, Duration timeout) {
    /** The time between {@code unsteady} and the default timeout, for jobs that take long for each batch. */
    private static final Duration LONGER = Duration.ofMinutes(10);

    /** The spread from which on samples come in bursts that are long beside the intervals of {@link SteadySpeed}. */
    private static final double BURSTS = 0.15;

    private static final int UNSTEADY_SHARE = 3;

    /** The limits for commands whose user waits for the result. */
    public static final TrialLimits STANDARD = new TrialLimits(Duration.ofSeconds(3), 0.03, Duration.ofSeconds(15));

    /**
     * Creates limits with a timeout so long that only a pipeline that seems to stand still reaches it. A trial may last
     * three times as long when its speed rises, because the processes of a Python dataset, for example, start one after another, and
     * when samples come in bursts.
     */
    public TrialLimits(Duration warmUp, double spread, Duration longest) {
        this(
                warmUp,
                spread,
                longest,
                longest.multipliedBy(UNSTEADY_SHARE),
                longest.multipliedBy(UNSTEADY_SHARE).plus(LONGER));
    }

    public TrialLimits {
        if (unsteady.compareTo(longest) < 0) {
            throw new IllegalArgumentException("unsteady: expected at least " + longest + ", found " + unsteady);
        }
        if (timeout.compareTo(unsteady) < 0) {
            throw new IllegalArgumentException("timeout: expected at least " + unsteady + ", found " + timeout);
        }
        if (warmUp.isNegative() || warmUp.compareTo(longest) >= 0) {
            throw new IllegalArgumentException(
                    "warm-up: expected at least 0 and less than " + longest + ", found " + warmUp);
        }
        if (!(spread > 0)) {
            throw new IllegalArgumentException("spread: expected more than 0, found " + spread);
        }
    }

    /**
     * Returns whether a trial must end now. After a rise it measures for as long as it would have measured after the warm-up.
     *
     * @param elapsed the time since the first step
     * @param risen the time from the first step until the speed was seen to rise last, or until the warm-up ended if it did not rise
     * @param spread the spread of the speed
     */
    boolean reached(Duration elapsed, Duration risen, double spread) {
        Duration end = risen.plus(longest).minus(warmUp);
        return elapsed.compareTo(unsteady) >= 0 || (spread < BURSTS && elapsed.compareTo(end) >= 0);
    }
}
