package io.millrace.pack;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The description of a finished pack, which is stored as {@code manifest.json} beside the shards.
 *
 * @param format the format of the shards
 * @param samples the number of samples in all shards
 * @param quarantined the number of bad samples, which {@code quarantine.jsonl} lists
 * @param classes the names of the classes by label; empty where labels have no names
 * @param source the dataset that was packed, and the transforms
 * @param restarts the numbers of restart markers; null, and absent in the file, if the pack writes none
 */
public record Manifest(
        String format,
        long samples,
        long bytes,
        long quarantined,
        List<String> classes,
        Map<String, Object> source,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable RestartCounts restarts,
        List<Entry> shards) {
    /** The name of the file. */
    public static final String FILE = "manifest.json";

    public Manifest {
        classes = List.copyOf(classes);
        shards = List.copyOf(shards);
    }

    /**
     * A shard of the pack.
     *
     * @param first the index of the first sample in the dataset that was packed
     * @param sha256 the SHA-256 of the whole file, in hexadecimal
     */
    public record Entry(String file, long first, long samples, long bytes, String sha256) {}
}
