package io.millrace.order;

import java.math.BigInteger;
import java.util.Arrays;

/** The steps of constant weights into which a ramp of a {@link MixturePhase} is divided. */
final class MixtureRamp {
    /** The largest number of steps. */
    static final int MOST_STEPS = 256;

    /** The bits of the common denominator to which weights are rounded that would not be exact within a {@code long}. */
    private static final int ROUNDED_BITS = 40;

    private final long positions;
    private final int steps;
    private final long[] from;
    private final long[] to;

    /**
     * Creates a ramp.
     *
     * @param positions the number of positions, 0 or more; a ramp of 0 positions has no steps
     * @param from the weights before the ramp, with as many sources as {@code to}
     * @param to the weights after the ramp
     */
    MixtureRamp(long positions, long[] from, long[] to) {
        this.positions = positions;
        this.steps = (int) Math.min(MOST_STEPS, positions);
        this.from = from;
        this.to = to;
    }

    /** Returns the number of steps. */
    int steps() {
        return steps;
    }

    /** Returns the first position of a step, counted from the beginning of the ramp; the steps have equal lengths up to one. */
    long start(int step) {
        return step == 0 ? 0 : WideMath.quotient(positions, step, 0, steps);
    }

    /** Returns the step of a position of the ramp, {@link #steps} for a position after it. */
    int step(long position) {
        int low = 0;
        int high = steps;
        if (position >= positions) {
            return steps;
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (start(middle + 1) <= position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Returns the weights of a step: those that a straight line from the shares before the ramp to the shares after it has in the
     * middle of the step. They are exact if their sum, as integers without a common divisor, is at most 2^62. Otherwise each weight
     * is multiplied by 2^{@value #ROUNDED_BITS}, divided by the sum, and rounded down, but a positive weight to at least 1.
     *
     * @param step 0 to {@link #steps}; the last number means the weights after the ramp
     */
    long[] weights(int step) {
        if (step == steps) {
            return to;
        }
        BigInteger fromPart = sum(to).multiply(BigInteger.valueOf(2L * (steps - step) - 1));
        BigInteger toPart = sum(from).multiply(BigInteger.valueOf(2L * step + 1));
        BigInteger[] weights = new BigInteger[to.length];
        BigInteger divisor = BigInteger.ZERO;
        BigInteger total = BigInteger.ZERO;
        for (int source = 0; source < to.length; source++) {
            weights[source] = fromPart.multiply(BigInteger.valueOf(from[source]))
                    .add(toPart.multiply(BigInteger.valueOf(to[source])));
            divisor = divisor.gcd(weights[source]);
            total = total.add(weights[source]);
        }
        boolean exact = total.divide(divisor).compareTo(BigInteger.valueOf(MixturePhase.MOST)) <= 0;
        BigInteger common = exact ? divisor : total;
        int shift = exact ? 0 : ROUNDED_BITS;
        return Arrays.stream(weights)
                .mapToLong(weight -> weight.signum() == 0
                        ? 0
                        : Math.max(1, weight.shiftLeft(shift).divide(common).longValueExact()))
                .toArray();
    }

    private static BigInteger sum(long[] weights) {
        return BigInteger.valueOf(Arrays.stream(weights).sum());
    }
}
