package io.millrace.sequence;

import java.util.Random;

/** Made-up lengths of documents, with the shape of real ones. */
enum LengthSamples {
    /** Pages of the web: short ones with a median of 545 tokens, and one in 50 from a heavy tail. */
    WEB {
        @Override
        double draw(Random random) {
            return random.nextInt(50) == 0
                    ? 4000 * Math.pow(1 - random.nextDouble(), -1 / 1.2)
                    : logNormal(random, 545, 1.1);
        }
    },
    /** Chats: a median of 245 tokens, and at most 8,192. */
    CHATS {
        @Override
        double draw(Random random) {
            return Math.min(8192, logNormal(random, 245, 0.8));
        }
    },
    /** Manual pages and source code: the median of 888, mean of 2,430 and 99 % of 24,000 tokens of 35,825 real files. */
    FILES {
        @Override
        double draw(Random random) {
            return Math.min(146_859, logNormal(random, 888, 1.42));
        }
    };

    private static final int LONGEST = 2_000_000;

    abstract double draw(Random random);

    private static double logNormal(Random random, double median, double sigma) {
        return median * Math.exp(sigma * random.nextGaussian());
    }

    /** Returns some lengths, each at least 1. */
    int[] lengths(int count, long seed) {
        Random random = new Random(seed);
        int[] lengths = new int[count];
        for (int i = 0; i < count; i++) {
            lengths[i] = (int) Math.max(1, Math.min(LONGEST, draw(random)));
        }
        return lengths;
    }
}
