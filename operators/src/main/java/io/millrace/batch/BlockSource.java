package io.millrace.batch;

/** Native memory for micro-batches of a kind that the receiver's device prefers. Thread-safe. */
public interface BlockSource {
    /** What {@link #take} returns when there is no room. */
    long NONE = 0;

    /**
     * Takes a block, to be given back.
     *
     * @return its address, a multiple of 64; {@link #NONE} where the process's plain memory shall do
     */
    long take(long bytes);

    /** Gives a block back, with the bytes that were asked for. */
    void giveBack(long address, long bytes);
}
