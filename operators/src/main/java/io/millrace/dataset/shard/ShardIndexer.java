package io.millrace.dataset.shard;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * The part of a format that indexes its shards. Stateless and safe for several threads.
 *
 * @param <T> the type of the index
 */
public interface ShardIndexer<T extends ShardIndex> {
    /** Returns the format's name, which is a part of the names of cached indexes. */
    String kind();

    /** Returns the indexes that this process holds. All indexers of the same kind return the same object. */
    SharedIndexes<T> shared();

    /**
     * Returns the version of the index. It must be increased when a change makes {@link #scan} find other samples or
     * {@link #write} use another form.
     */
    int version();

    /**
     * Scans a shard.
     *
     * @throws io.millrace.dataset.DatasetException when the file does not have this format; the message is a sentence
     *     for the user
     * @throws IOException when reading itself fails
     */
    T scan(ScanWindow file) throws IOException;

    /** Writes an index. */
    void write(T index, DataOutputStream out) throws IOException;

    /**
     * Reads the bytes that {@link #write} wrote.
     *
     * @param in the bytes of one index and no others, so that the number of remaining bytes limits each count in the
     *     index
     * @throws IOException when {@code in} contains other bytes
     */
    T read(DataInputStream in) throws IOException;
}
