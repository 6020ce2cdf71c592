package io.millrace.exchange;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A transport of values and floats between ranks. One thread of each rank calls the methods. Another thread may call
 * {@link #close} to end a wait.
 *
 * <p>All ranks make the same calls in the same order, and always gather values between two sums.
 */
sealed interface Transport extends AutoCloseable permits ThreadTransport, SharedMemoryTransport, RingTransport {
    /**
     * Sends this rank's values to all ranks, and waits for the values of all ranks.
     *
     * @param mine this rank's values; all ranks pass the same number of values
     * @return the values by rank; null when a rank has left without a failure, after which no values can be gathered
     * @throws IOException when a rank is gone
     */
    long @Nullable [][] gather(long[] mine) throws IOException;

    /**
     * Replaces each rank's floats by their weighted sum in the order of {@link FloatSegments}.
     *
     * @param weights the weights by rank, the same on all ranks
     * @throws IOException when a rank is gone; the floats are then undefined
     */
    void sum(FloatBlocks mine, float[] weights) throws IOException;

    /** Returns a description of the transport for messages. */
    String describe();

    /**
     * Leaves the other ranks. Unless a sum is in progress, they receive the announcement that this rank left without a
     * failure. Closing again does nothing.
     */
    @Override
    void close();
}
