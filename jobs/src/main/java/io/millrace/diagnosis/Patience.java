package io.millrace.diagnosis;

import java.time.Duration;

/**
 * How long a pipeline is run to find out its speed.
 *
 * @param warmUp after the first step, in which nothing counts: the JVM compiles
 * @param spread that is small enough: half the distance between the quartiles over the median
 * @param most from the first step on; then what is known counts, once there is enough to tell anything
 * @param giveUp from submission on; who has told nothing by then is given up
 */
public record Patience(Duration warmUp, double spread, Duration most, Duration giveUp) {
    /** Beyond {@code most}, for jobs whose batches are few and far between. */
    private static final Duration LONGER = Duration.ofMinutes(10);

    /** For people who wait for it. */
    public static final Patience STANDARD = new Patience(Duration.ofSeconds(3), 0.03, Duration.ofSeconds(15));

    /** One that gives up only what seems to stand still. */
    public Patience(Duration warmUp, double spread, Duration most) {
        this(warmUp, spread, most, most.plus(LONGER));
    }

    public Patience {
        if (giveUp.compareTo(most) < 0) {
            throw new IllegalArgumentException("give up: expected at least " + most + ", found " + giveUp);
        }
        if (warmUp.isNegative() || warmUp.compareTo(most) >= 0) {
            throw new IllegalArgumentException(
                    "warm-up: expected at least 0 and less than " + most + ", found " + warmUp);
        }
        if (!(spread > 0)) {
            throw new IllegalArgumentException("spread: expected more than 0, found " + spread);
        }
    }
}
