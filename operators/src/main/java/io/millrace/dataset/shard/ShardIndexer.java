package io.millrace.dataset.shard;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * How a format's shards are indexed. Stateless, for any thread.
 *
 * @param <T> the index
 */
public interface ShardIndexer<T extends ShardIndex> {
    /** The format's name, in the names of cached indexes. */
    String kind();

    /** The indexes that this process holds; the same for all indexers of this kind. */
    SharedIndexes<T> shared();

    /** Counts up when {@link #scan} finds something else or {@link #write} writes it otherwise. */
    int version();

    /**
     * Looks through a shard.
     *
     * @throws io.millrace.dataset.DatasetException when this is no such file, with a sentence
     * @throws IOException when reading as such fails
     */
    T scan(ScanWindow file) throws IOException;

    /** Writes an index. */
    void write(T index, DataOutputStream out) throws IOException;

    /**
     * Reads what {@link #write} wrote; anything else throws.
     *
     * @param in holds nothing else, so that no count in it can be larger than what is left
     */
    T read(DataInputStream in) throws IOException;
}
