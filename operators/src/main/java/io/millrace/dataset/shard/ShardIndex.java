package io.millrace.dataset.shard;

import java.util.Optional;

/** The index of one shard: the position of each of its samples. Immutable, for any thread. */
public interface ShardIndex {
    /** Returns the number of samples that were found. */
    int samples();

    /** Returns the part of the shard that could not be scanned. */
    Optional<ShardLoss> loss();

    /** Returns the bytes of the samples' contents. */
    long contentBytes();
}
