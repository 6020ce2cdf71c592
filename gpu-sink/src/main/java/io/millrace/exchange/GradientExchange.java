package io.millrace.exchange;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** The part of {@link Replicas} that a training step uses. Only the trainer's thread calls it. */
public interface GradientExchange {
    /**
     * Returns the number of rows that all replicas together have in this step. With 0 rows there is nothing to average.
     */
    long rows();

    /**
     * Replaces every float by its mean over all replicas, weighted by their rows in this step. Each replica calls this
     * once in each step that has rows, with the same number of floats; all replicas get the same bits.
     *
     * @param blocks floats in the machine's byte order in direct memory, from position 0 to the limit of each block
     * @throws IOException when another replica is gone; the floats are then undefined
     */
    void average(List<ByteBuffer> blocks) throws IOException;

    /**
     * Replaces every float by its mean over all replicas, for an update that covers several steps. Each replica calls
     * this once at the end of the update, also without rows.
     *
     * @param rows the rows of this replica in the update
     * @param weight the weight of this replica's floats, 0 or more: its rows, or the part of them that the loss does
     *     not ignore
     * @return the rows of all replicas; when it is 0, the floats are unchanged
     * @throws IOException as {@link #average(List)}
     */
    long average(List<ByteBuffer> blocks, long rows, double weight) throws IOException;
}
