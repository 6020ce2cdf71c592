package io.millrace.train.input;

import io.millrace.order.SampleRandom;

/** A source of random numbers with the symmetric beta distribution. Stateless. */
final class BetaRandom {
    private BetaRandom() {}

    /**
     * Returns a random number with the distribution Beta(alpha, alpha), in [0, 1]. The number is X / (X + Y), where X
     * and Y have the distribution Gamma(alpha). It is computed with logarithms, because for small alpha both X and Y
     * are below the smallest double.
     *
     * @param alpha the parameter of the distribution, above 0
     */
    static double next(double alpha, SampleRandom random) {
        double x = logGamma(alpha, random);
        double y = logGamma(alpha, random);
        return 1 / (1 + Math.exp(y - x));
    }

    /**
     * Returns the logarithm of a random number with the distribution Gamma(alpha, 1). For alpha of at least 1, the
     * method is that of Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables" (2000). For a smaller
     * alpha, the number is U^(1/alpha) times a number with the distribution Gamma(alpha + 1).
     */
    private static double logGamma(double alpha, SampleRandom random) {
        double boost = 0;
        double shape = alpha;
        if (alpha < 1) {
            boost = Math.log(positive(random)) / alpha;
            shape = alpha + 1;
        }
        double d = shape - 1.0 / 3;
        double c = 1 / Math.sqrt(9 * d);
        while (true) {
            double normal = normal(random);
            double v = 1 + c * normal;
            if (v <= 0) {
                continue;
            }
            double cubed = v * v * v;
            double limit = normal * normal / 2 + d - d * cubed + d * Math.log(cubed);
            if (Math.log(positive(random)) < limit) {
                return Math.log(d * cubed) + boost;
            }
        }
    }

    /**
     * Returns a normally distributed number by the method of Box and Muller. The second number of the pair is not used.
     */
    private static double normal(SampleRandom random) {
        double radius = Math.sqrt(-2 * Math.log(positive(random)));
        return radius * Math.cos(2 * Math.PI * random.nextDouble());
    }

    /** Returns a uniform number in (0, 1]. */
    private static double positive(SampleRandom random) {
        return 1 - random.nextDouble();
    }
}
