package io.millrace.exchange;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** What a training step uses of the replicas. The trainer's thread alone calls. */
public interface GradientExchange {
    /** The rows that all replicas together have in this step, 0 when nobody has any: then nothing is to be averaged. */
    long rows();

    /**
     * Replaces every float by its mean over all replicas, weighted by their rows in this step. Each replica calls this once
     * in each step with rows, with equally many floats; all get the same bits.
     *
     * @param blocks floats of the machine's byte order in direct memory, from position 0 to the limit of each
     * @throws IOException when another replica is gone; the floats are then undefined
     */
    void average(List<ByteBuffer> blocks) throws IOException;

    /**
     * The same for an update by several steps: weighted by what each replica gathered in all of them. Each calls this once at
     * the update's end, also without rows.
     *
     * @param rows that this replica had in the update
     * @param weight how much its floats count, 0 or more: rows, or what a loss does not ignore of them
     * @return the rows of all; 0 when nobody had any, and the floats are as they were
     * @throws IOException as {@link #average(List)}
     */
    long average(List<ByteBuffer> blocks, long rows, double weight) throws IOException;
}
