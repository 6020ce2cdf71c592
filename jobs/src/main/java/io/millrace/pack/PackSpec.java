package io.millrace.pack;

import io.millrace.dataset.DatasetSpec;
import io.millrace.transform.TransformSpec;
import java.io.Serializable;
import java.util.List;

/**
 * The description of a pack.
 *
 * @param dataset the dataset to pack
 * @param transforms the transforms of each sample; without transforms the stored bytes are written unchanged
 * @param format the format of the shards
 * @param shardBytes the maximum size of a shard in bytes; only a shard with a single sample may be larger
 * @param folder the folder of the shards: a path, or a URI of a file system that Flink supports
 * @param restart the coded units between two restart markers of a JPEG; 0 to leave JPEGs as they are
 * @param maxQuarantined the share of samples that may be bad, 0 to 1
 */
public record PackSpec(
        DatasetSpec dataset,
        List<TransformSpec> transforms,
        ShardFormat format,
        long shardBytes,
        String folder,
        int restart,
        double maxQuarantined)
        implements Serializable {
    public PackSpec {
        transforms = List.copyOf(transforms);
        if (shardBytes < 1) {
            throw new IllegalArgumentException("a shard has at least 1 byte, found " + shardBytes);
        }
    }
}
