package io.millrace.pack;

import io.millrace.sample.Sample;
import java.io.Closeable;
import java.io.IOException;

/** Writes samples into one shard. For one thread; {@link #close} without {@link #finish} leaves a torso. */
interface ShardWriter extends Closeable {
    /** Appends a sample; it is not kept. */
    void add(Sample sample) throws IOException;

    /** Writes what belongs at the end of the file. */
    void finish() throws IOException;
}
