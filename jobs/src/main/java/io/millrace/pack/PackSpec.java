package io.millrace.pack;

import io.millrace.dataset.DatasetSpec;
import io.millrace.transform.TransformSpec;
import java.io.Serializable;
import java.util.List;

/**
 * What is packed, and into what.
 *
 * @param transforms what is done to each sample before it is written; none writes the stored bytes as they are
 * @param shardBytes the size that a shard is kept under, unless a single sample is larger
 * @param folder where the shards go: a path, or a URI of a file system that Flink knows
 * @param maxQuarantined the share of samples that may be bad, 0 to 1
 */
public record PackSpec(
        DatasetSpec dataset,
        List<TransformSpec> transforms,
        ShardFormat format,
        long shardBytes,
        String folder,
        double maxQuarantined)
        implements Serializable {
    public PackSpec {
        transforms = List.copyOf(transforms);
        if (shardBytes < 1) {
            throw new IllegalArgumentException("a shard has at least 1 byte, found " + shardBytes);
        }
    }
}
