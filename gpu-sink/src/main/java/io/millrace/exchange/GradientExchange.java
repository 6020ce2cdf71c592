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
}
