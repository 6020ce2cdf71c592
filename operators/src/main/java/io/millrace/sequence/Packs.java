package io.millrace.sequence;

import io.millrace.order.Sources;
import java.io.IOException;
import java.util.List;

/** The packs of a dataset by their numbers. Any thread may use the object. */
public interface Packs {
    /** Returns the number of documents. */
    long documents();

    /** Returns the number of packs of a round, or {@link Sources#ENDLESS}. */
    long size();

    /**
     * Waits until a pack is known.
     *
     * @param number the number of the pack, 0 to {@code size() - 1}
     * @param nanos the longest time to wait, 0 or more
     * @return false when it is not known yet
     * @throws IOException when it can never be known; the message is a sentence
     * @throws java.io.InterruptedIOException when the calling thread is interrupted
     */
    default boolean await(long number, long nanos) throws IOException {
        return true;
    }

    /**
     * Returns the parts of documents in a pack, after waiting until it is known.
     *
     * @param round how often the dataset has been gone through before, 0 or more; 0 where packs are numbered over all rounds
     * @param number the number of the pack, 0 to {@code size() - 1}
     * @throws IllegalStateException when a length differs from the one that was counted, so that the window has another number of packs
     * @throws IOException as {@link #await} does
     */
    List<Slice> pack(int round, long number) throws IOException;

    /** Returns the packs of each round, after waiting until all are known. */
    PlannedPacks planned() throws IOException;
}
