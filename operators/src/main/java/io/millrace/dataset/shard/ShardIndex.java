package io.millrace.dataset.shard;

import java.util.Optional;

/** What stands where in one shard. Immutable, for any thread. */
public interface ShardIndex {
    /** How many samples were found. */
    int samples();

    /** What could not be scanned. */
    Optional<ShardLoss> loss();

    /** The bytes of the samples' contents. */
    long contentBytes();
}
