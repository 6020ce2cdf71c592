package io.millrace.batch;

/** A source of native memory that the receiver's device prefers for micro-batches. Thread-safe. */
public interface BlockSource {
    /** The result of {@link #take} when there is no room. */
    long NONE = 0;

    /**
     * Reserves a block of memory. The caller returns it with {@link #giveBack}.
     *
     * @param bytes the size of the block
     * @return its address, a multiple of 64; {@link #NONE} when the caller has to use the plain memory of the process
     */
    long take(long bytes);

    /**
     * Returns a block to this source.
     *
     * @param address the address that {@link #take} returned
     * @param bytes the size that was passed to {@link #take}
     */
    void giveBack(long address, long bytes);
}
