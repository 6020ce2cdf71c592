package io.millrace.source;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A queue of ranges that become blocks of samples. The task's thread calls all methods. */
sealed interface Feed extends Closeable permits ResidentFeed, ReadAheadFeed, ResidenceFeed {
    /** Adds a range to read. */
    void add(Range range);

    /**
     * Returns the next block, or null when none is ready. The blocks of one range come in order. Of several ranges
     * that are ready, the lowest comes first.
     *
     * @throws IOException when reading failed
     */
    @Nullable
    SampleBlock poll() throws IOException;

    /**
     * Drops all ranges and all blocks that were not returned. Reads that are under way end after their current sample,
     * and their samples are dropped, too.
     */
    void clear();

    /** Stops reading. When this method returns, no thread reads any more. */
    @Override
    void close() throws IOException;
}
