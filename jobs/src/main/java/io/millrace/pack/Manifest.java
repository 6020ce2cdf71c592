package io.millrace.pack;

import java.util.List;
import java.util.Map;

/**
 * What a pack made: {@code manifest.json} beside the shards.
 *
 * @param format of the shards
 * @param samples in all shards
 * @param quarantined samples of the dataset that were bad; {@code quarantine.jsonl} lists them
 * @param classes names by label, empty where labels have none
 * @param source the dataset that was packed and what was done to it
 */
public record Manifest(
        String format,
        long samples,
        long bytes,
        long quarantined,
        List<String> classes,
        Map<String, Object> source,
        List<Entry> shards) {
    /** Its name. */
    public static final String FILE = "manifest.json";

    public Manifest {
        classes = List.copyOf(classes);
        shards = List.copyOf(shards);
    }

    /**
     * One shard.
     *
     * @param first the index of its first sample in the dataset that was packed
     * @param sha256 of the whole file, as {@code sha256sum} prints it
     */
    public record Entry(String file, long first, long samples, long bytes, String sha256) {}
}
