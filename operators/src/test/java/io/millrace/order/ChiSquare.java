package io.millrace.order;

/**
 * Pearson's chi-squared test, for tests with fixed seeds. Such tests always pass or always fail, and a fair generator
 * passes with nearly all seeds.
 */
public final class ChiSquare {
    /** The bound in standard deviations. A fair generator exceeds it with one in 3.5 million seeds. */
    private static final double DEVIATIONS = 5;

    private ChiSquare() {}

    /** Returns the statistic of counts that should all be equal. */
    public static double uniform(long[] counts) {
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        double expected = (double) total / counts.length;
        double statistic = 0;
        for (long count : counts) {
            statistic += (count - expected) * (count - expected) / expected;
        }
        return statistic;
    }

    /** Returns the bound that the statistic hardly ever exceeds (Wilson and Hilferty, 1931). */
    public static double bound(int degreesOfFreedom) {
        double variance = 2.0 / (9 * degreesOfFreedom);
        return degreesOfFreedom * Math.pow(1 - variance + DEVIATIONS * Math.sqrt(variance), 3);
    }
}
