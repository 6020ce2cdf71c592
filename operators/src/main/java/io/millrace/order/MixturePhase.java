package io.millrace.order;

import java.io.Serializable;
import java.util.Arrays;

/**
 * A phase of a {@link Mixture}: a number of positions with constant weights, which a ramp may precede. Phases whose weights have
 * the same proportions are equal.
 */
public final class MixturePhase implements Serializable {
    /** The number of positions of a phase that has no end. */
    public static final long OPEN = Long.MAX_VALUE;

    /** The largest sum of the weights of a phase, and the largest number of positions of a ramp. */
    public static final long MOST = 1L << 62;

    private static final long serialVersionUID = 1;

    private final long positions;
    private final long[] weights;
    private final long ramp;

    /**
     * Creates a phase.
     *
     * @param positions the number of positions, with those of the ramp, 1 to 2^62, or {@link #OPEN}
     * @param weights the weights of all sources, in the order of their numbers: integers of 0 or more, of which only the
     *     proportions count. Their sum is 1 to 2^62. A source of weight 0 gives no samples.
     * @param ramp the number of positions at the beginning of the phase over which the weights change from those of the phase before
     *     to these, 0 to 2^62. A phase with fewer positions ends within its ramp.
     * @throws IllegalArgumentException when a value is out of its range; the message is a sentence
     */
    public MixturePhase(long positions, long[] weights, long ramp) {
        if (positions < 1 || (positions > MOST && positions != OPEN)) {
            throw new IllegalArgumentException(
                    "a phase has " + positions + " positions; expected 1 to 2^62, or no end");
        }
        if (ramp < 0 || ramp > MOST) {
            throw new IllegalArgumentException("a ramp has " + ramp + " positions; expected 0 to 2^62");
        }
        this.positions = positions;
        this.weights = reduced(weights);
        this.ramp = ramp;
    }

    private static long[] reduced(long[] weights) {
        long sum = 0;
        long divisor = 0;
        for (int source = 0; source < weights.length; source++) {
            long weight = weights[source];
            if (weight < 0) {
                throw new IllegalArgumentException(
                        "the weight of source " + source + " is " + weight + "; expected 0 or more");
            }
            if (weight > MOST - sum) {
                throw new IllegalArgumentException(
                        "the sum of the weights exceeds 2^62 with source " + source + ", whose weight is " + weight);
            }
            sum += weight;
            divisor = gcd(divisor, weight);
        }
        if (sum == 0) {
            throw new IllegalArgumentException(
                    "a phase has no source with a weight above 0, of " + weights.length + " sources");
        }
        long common = divisor;
        return Arrays.stream(weights).map(weight -> weight / common).toArray();
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    /** Returns the number of positions, with those of the ramp; {@link #OPEN} for a phase without an end. */
    public long positions() {
        return positions;
    }

    /** Returns the weights of all sources, divided by their greatest common divisor. */
    public long[] weights() {
        return weights.clone();
    }

    /** Returns the number of positions of the ramp. */
    public long ramp() {
        return ramp;
    }

    /** Returns the number of sources, with those of weight 0. */
    public int sources() {
        return weights.length;
    }

    /** Returns whether the source gives samples in this phase, its ramp excluded. */
    boolean uses(int source) {
        return weights[source] > 0;
    }

    /** Returns whether another phase has the same weights and the same ramp, where sources may have been appended to either. */
    boolean sameRule(MixturePhase other) {
        int sources = Math.max(weights.length, other.weights.length);
        return ramp == other.ramp
                && Arrays.equals(Arrays.copyOf(weights, sources), Arrays.copyOf(other.weights, sources));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MixturePhase phase
                && positions == phase.positions
                && ramp == phase.ramp
                && Arrays.equals(weights, phase.weights);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(new Object[] {positions, ramp, Arrays.hashCode(weights)});
    }

    @Override
    public String toString() {
        return "MixturePhase[positions=" + (positions == OPEN ? "open" : positions) + ", weights="
                + Arrays.toString(weights) + ", ramp=" + ramp + "]";
    }
}
