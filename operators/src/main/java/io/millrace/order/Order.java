package io.millrace.order;

import java.io.IOException;
import java.io.Serializable;

/**
 * The order in which a run visits its training samples: a pure function that gives the sample at each place of each epoch of the run.
 * A position of the run, and nothing else, decides its sample. Any thread may use an order.
 */
public interface Order extends Serializable {
    /**
     * The sample at a place.
     *
     * @param source the number of the dataset that the sample is from, in the order of the pipeline file, from 0
     * @param round the number of the sample's random numbers, which every epoch of the run or of the dataset changes, from 0
     * @param index the sample's index in its dataset
     */
    record Pick(int source, int round, long index) {}

    /** Returns the seed of the run. */
    long seed();

    /** Returns the number of places of an epoch. */
    long size();

    /**
     * Returns the sample at a place.
     *
     * @param epoch the epoch of the run, 0 or more
     * @param i the place in the epoch, 0 to {@code size() - 1}
     */
    Pick at(int epoch, long i);

    /**
     * Waits until the sample at a place is known, where it depends on numbers that are made while the run reads.
     *
     * @param nanos the longest time to wait, 0 or more
     * @return false when {@link #at} would still wait
     * @throws IOException when it can never be known; the message is a sentence
     * @throws java.io.InterruptedIOException when the calling thread is interrupted
     */
    default boolean await(int epoch, long i, long nanos) throws IOException {
        return true;
    }

    /**
     * Returns the number of the random numbers with which a dataset reads the sample, which is that of its transforms unless an order
     * lets samples with different numbers be read together.
     */
    default int readRound(Pick pick) {
        return pick.round();
    }

    /**
     * Returns how many samples of each dataset the first places of a run have, by the numbers of the datasets.
     *
     * @param places the number of places, counted over all epochs, 0 or more
     */
    default long[] counts(long places) {
        return new long[] {places};
    }
}
