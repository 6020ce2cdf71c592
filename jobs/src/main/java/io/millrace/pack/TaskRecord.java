package io.millrace.pack;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The record of a finished task, whose content becomes part of the manifest.
 *
 * @param task the number of the task
 * @param shards the shards in the order of their samples
 * @param bad the bad samples, which are in no shard
 * @param restarts the numbers of restart markers; null if the pack writes none
 */
record TaskRecord(
        long task,
        List<Shard> shards,
        List<Bad> bad,
        @Nullable RestartCounts restarts) {
    TaskRecord {
        shards = List.copyOf(shards);
        bad = List.copyOf(bad);
    }

    /**
     * A shard of a finished task.
     *
     * @param file the name of the file in its folder
     * @param first the index of the first sample in the dataset
     * @param samples the number of samples
     * @param sha256 the SHA-256 of the whole file, in hexadecimal
     */
    record Shard(String file, long first, long samples, long bytes, String sha256) {
        Shard named(String name) {
            return new Shard(name, first, samples, bytes, sha256);
        }
    }

    /**
     * A bad sample.
     *
     * @param offset the offset in the file, or -1 when it is unknown
     */
    record Bad(long index, String stage, String file, long offset, String reason) {}
}
