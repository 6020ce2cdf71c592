package io.millrace.dataset.shard;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * The part of a format that indexes its shards. Stateless, for any thread.
 *
 * @param <T> the type of the index
 */
public interface ShardIndexer<T extends ShardIndex> {
    /** Returns the format's name, which is a part of the names of cached indexes. */
    String kind();

    /** Returns the indexes that this process holds, the same object for all indexers of this kind. */
    SharedIndexes<T> shared();

    /**
     * Returns the version, which is increased when {@link #scan} finds other samples or {@link #write} uses another
     * form.
     */
    int version();

    /**
     * Scans a shard.
     *
     * @throws io.millrace.dataset.DatasetException when the file does not have this format, with a sentence
     * @throws IOException when reading itself fails
     */
    T scan(ScanWindow file) throws IOException;

    /** Writes an index. */
    void write(T index, DataOutputStream out) throws IOException;

    /**
     * Reads what {@link #write} wrote, and throws for anything else.
     *
     * @param in the bytes of one index and no others, so that no count in it can be larger than the number of bytes
     *     that remain
     */
    T read(DataInputStream in) throws IOException;
}
