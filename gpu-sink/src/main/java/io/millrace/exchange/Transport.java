package io.millrace.exchange;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A way between ranks. One thread of each rank calls, but for {@link #close}, which another may call to end a wait.
 *
 * <p>All ranks make the same calls in the same order; between two averages there is a gathering.
 */
sealed interface Transport extends AutoCloseable permits ThreadTransport, SharedMemoryTransport, RingTransport {
    /**
     * Gives every rank every rank's values; waits for all.
     *
     * @param mine equally many in each rank
     * @return the values by rank; null when a rank has left in good order, and nothing more will come
     * @throws IOException when a rank is gone
     */
    long @Nullable [][] gather(long[] mine) throws IOException;

    /**
     * Replaces each rank's floats by their weighted sum in the order of {@link Segments}.
     *
     * @param weights by rank, the same in all
     * @throws IOException when a rank is gone; the floats are then undefined
     */
    void sum(Floats mine, float[] weights) throws IOException;

    /** How the ranks are joined, for people. */
    String describe();

    /** Leaves; the others hear that it was in good order unless a sum is under way. Closing again does nothing. */
    @Override
    void close();
}
