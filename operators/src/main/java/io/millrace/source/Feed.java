package io.millrace.source;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Turns ranges into blocks of samples. All methods are called on the task's thread. */
sealed interface Feed extends Closeable permits ResidentFeed, ReadAheadFeed {
    /** Takes a range on. */
    void add(Range range);

    /**
     * The next block, or null when none is ready. The blocks of one range come in order; ranges come lowest first among
     * those that are ready.
     *
     * @throws IOException when reading failed
     */
    @Nullable
    Block poll() throws IOException;

    /** Stops reading. When this returns, nothing reads any more. */
    @Override
    void close() throws IOException;
}
