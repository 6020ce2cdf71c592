package io.millrace.pack;

import java.util.List;

/**
 * What a task wrote, as it stands in its record and later in the manifest.
 *
 * @param task its number
 * @param shards in the order of their samples
 * @param bad the samples that are in no shard
 */
record TaskRecord(long task, List<Shard> shards, List<Bad> bad) {
    TaskRecord {
        shards = List.copyOf(shards);
        bad = List.copyOf(bad);
    }

    /**
     * One shard.
     *
     * @param file its name in the folder where it lies
     * @param first the index of its first sample in the dataset
     * @param samples how many it holds
     * @param sha256 of the whole file, in hexadecimal
     */
    record Shard(String file, long first, long samples, long bytes, String sha256) {
        Shard named(String name) {
            return new Shard(name, first, samples, bytes, sha256);
        }
    }

    /**
     * A bad sample.
     *
     * @param offset in the file, or -1
     */
    record Bad(long index, String stage, String file, long offset, String reason) {}
}
