package io.millrace.exchange;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A way for values and floats between ranks. One thread of each rank calls; another may call {@link #close} to end a
 * wait.
 *
 * <p>All ranks make the same calls in the same order, and gather values between two sums.
 */
sealed interface Transport extends AutoCloseable permits ThreadTransport, SharedMemoryTransport, RingTransport {
    /**
     * Sends this rank's values to all ranks, and waits for the values of all.
     *
     * @param mine this rank's values; all ranks have the same number
     * @return the values by rank; null when a rank has left in good order, after which no more values come
     * @throws IOException when a rank is gone
     */
    long @Nullable [][] gather(long[] mine) throws IOException;

    /**
     * Replaces each rank's floats by their weighted sum in the order of {@link Segments}.
     *
     * @param weights the weights by rank, the same on all ranks
     * @throws IOException when a rank is gone; the floats are then undefined
     */
    void sum(Floats mine, float[] weights) throws IOException;

    /** Returns in words how the ranks are joined. */
    String describe();

    /**
     * Leaves; unless a sum is in progress, the others learn that this rank left in good order. Closing again does
     * nothing.
     */
    @Override
    void close();
}
