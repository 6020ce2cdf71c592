package io.millrace.pack;

import io.millrace.sample.Sample;
import java.io.Closeable;
import java.io.IOException;

/** A writer of one shard. Not thread-safe. {@link #close} without {@link #finish} leaves an incomplete file. */
interface ShardWriter extends Closeable {
    /** Appends a sample, and keeps no reference to it. */
    void add(Sample sample) throws IOException;

    /** Writes the end of the file. */
    void finish() throws IOException;
}
