package io.millrace.train.network;

import io.millrace.order.SampleRandom;
import java.nio.FloatBuffer;

/**
 * The first values of a tensor. They depend only on the seed and on the tensor's number in its model. The engine's own
 * generator is not used: the whole JVM shares it, so two trainers in one JVM would influence each other.
 */
@FunctionalInterface
public interface Initializer {
    /** The stage number of the parameters' random numbers: one below {@link SampleRandom#GENERATED_DATA}. */
    int STAGE = SampleRandom.GENERATED_DATA - 1;

    Initializer ZEROS = (values, seed, number) -> fill(values, 0);
    Initializer ONES = (values, seed, number) -> fill(values, 1);

    /**
     * Fills the whole buffer.
     *
     * @param number the tensor's number in its model
     */
    void fill(FloatBuffer values, long seed, int number);

    /**
     * Returns uniform values in [-1/sqrt(fanIn), 1/sqrt(fanIn)), with which PyTorch's Linear and Conv2d begin: weights
     * (kaiming_uniform with a = sqrt(5)) and biases.
     */
    static Initializer uniform(long fanIn) {
        double bound = 1 / Math.sqrt((double) fanIn);
        return (values, seed, number) -> {
            SampleRandom random = new SampleRandom(seed, STAGE).reset(0, number);
            for (int i = 0; i < values.capacity(); i++) {
                values.put(i, (float) random.nextDouble(-bound, bound));
            }
        };
    }

    /** Returns normal values with He's variance 2/fanOut, with which the convolutions of torchvision's ResNets begin. */
    static Initializer normal(long fanOut) {
        return gaussian(Math.sqrt(2.0 / fanOut));
    }

    /** Returns normal values with mean 0 and this standard deviation. PyTorch's Embedding begins with deviation 1. */
    static Initializer gaussian(double deviation) {
        return (values, seed, number) -> {
            SampleRandom random = new SampleRandom(seed, STAGE).reset(0, number);
            for (int i = 0; i < values.capacity(); i += 2) {
                // Marsaglia's polar method; StrictMath, so that every machine starts from the same bits.
                double x;
                double y;
                double square;
                do {
                    x = random.nextDouble(-1, 1);
                    y = random.nextDouble(-1, 1);
                    square = x * x + y * y;
                } while (square >= 1 || square == 0);
                double factor = deviation * Math.sqrt(-2 * StrictMath.log(square) / square);
                values.put(i, (float) (x * factor));
                if (i + 1 < values.capacity()) {
                    values.put(i + 1, (float) (y * factor));
                }
            }
        };
    }

    private static void fill(FloatBuffer values, float value) {
        for (int i = 0; i < values.capacity(); i++) {
            values.put(i, value);
        }
    }
}
