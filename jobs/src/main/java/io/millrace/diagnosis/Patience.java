package io.millrace.diagnosis;

import java.time.Duration;

/**
 * How long a pipeline is run to find out its speed.
 *
 * @param warmUp after the first step, in which nothing counts: the JVM compiles
 * @param spread that is small enough: half the distance between the quartiles over the median
 * @param most from the first step on; then what is known by then counts
 */
public record Patience(Duration warmUp, double spread, Duration most) {
    /** For people who wait for it. */
    public static final Patience STANDARD = new Patience(Duration.ofSeconds(3), 0.03, Duration.ofSeconds(15));

    public Patience {
        if (warmUp.isNegative() || warmUp.compareTo(most) >= 0) {
            throw new IllegalArgumentException(
                    "warm-up: expected at least 0 and less than " + most + ", found " + warmUp);
        }
        if (!(spread > 0)) {
            throw new IllegalArgumentException("spread: expected more than 0, found " + spread);
        }
    }
}
