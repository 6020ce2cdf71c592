package io.millrace.order;

import java.util.Objects;

/**
 * The order of a run whose samples are drawn by weight, with replacement: a sample may come several times in an epoch, or not at all. Each
 * draw is a pure function of the seed, the epoch and the place.
 *
 * <p>The round of a {@link Order.Pick} is the number of the draw in the run, modulo 2^31, so that two draws of one sample have
 * different random numbers.
 *
 * @param seed the run's seed
 * @param size the number of draws of an epoch, 1 to 2^40
 * @param weights the weights of the samples
 */
public record DrawnOrder(long seed, long size, WeightTable weights) implements Order {
    /**
     * Checks the arguments.
     *
     * @throws IllegalArgumentException when the size is out of its range; the message is a sentence
     */
    public DrawnOrder {
        if (size < 1 || size > Permutation.MAX_SIZE) {
            throw new IllegalArgumentException(
                    "an epoch has " + size + " draws; expected 1 to " + Permutation.MAX_SIZE);
        }
    }

    @Override
    public Pick at(int epoch, long i) {
        Objects.checkIndex(i, size);
        if (epoch < 0) {
            throw new IllegalArgumentException("negative epoch " + epoch);
        }
        return new Pick(0, (int) (epoch * size + i) & Integer.MAX_VALUE, weights.draw(seed, epoch, i));
    }

    /** Returns the epoch of the draw, so that draws of one epoch can be read together. */
    @Override
    public int readRound(Pick pick) {
        return (int) (pick.round() / size);
    }
}
