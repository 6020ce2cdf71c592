package io.millrace.pack;

import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;

/** A format of shards. Each format is also a dataset format. */
public enum ShardFormat {
    /** WebDataset's tar files: each field is a member, named after the sample's index. */
    TAR("tar") {
        @Override
        ShardWriter open(OutputStream out, Optional<List<String>> classes) {
            return new TarShardWriter(out, classes.isPresent());
        }

        @Override
        long bytes(Sample sample) throws IOException {
            return TarShardWriter.bytes(sample);
        }
    },
    /** TFRecord files with a {@code tf.train.Example} for each sample. */
    TFRECORD("tfrecord") {
        @Override
        ShardWriter open(OutputStream out, Optional<List<String>> classes) {
            return new TfRecordShardWriter(out, classes.isPresent());
        }

        @Override
        long bytes(Sample sample) {
            return TfRecordShardWriter.bytes(sample);
        }
    },
    /** Arrow IPC files with Hugging Face's columns. */
    ARROW("arrow") {
        @Override
        ShardWriter open(OutputStream out, Optional<List<String>> classes) {
            return new ArrowShardWriter(out, classes);
        }

        @Override
        long bytes(Sample sample) {
            return ArrowShardWriter.bytes(sample);
        }
    };

    private final String extension;

    ShardFormat(String extension) {
        this.extension = extension;
    }

    /** Returns the extension of a shard, which is also the name of the dataset format. */
    public String extension() {
        return extension;
    }

    /**
     * Begins a shard. The caller closes the stream.
     *
     * @param classes the names of the classes by label, an empty list where labels have no names; empty for samples without labels,
     *     which are stored without them
     */
    abstract ShardWriter open(OutputStream out, Optional<List<String>> classes) throws IOException;

    /**
     * Returns the bytes that a sample will occupy in a shard, exactly or slightly more.
     *
     * @throws IOException when the format cannot store the sample
     */
    abstract long bytes(Sample sample) throws IOException;
}
