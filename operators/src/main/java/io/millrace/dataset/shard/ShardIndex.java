package io.millrace.dataset.shard;

import java.util.Optional;

/** The index of one shard: the position of each of its samples. Immutable and safe for several threads. */
public interface ShardIndex {
    /** Returns the number of samples that were found. */
    int samples();

    /** Returns the part of the shard that could not be scanned. */
    Optional<ShardLoss> loss();

    /** Returns the total size of the samples' contents in bytes. */
    long contentBytes();
}
