package io.millrace.pack;

import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** The kinds of shards that are written; each is a format that datasets are read from. */
public enum ShardFormat {
    /** WebDataset's: a member for each field, named by the sample's index. */
    TAR("tar") {
        @Override
        ShardWriter open(OutputStream out, List<String> classes) {
            return new TarShardWriter(out);
        }

        @Override
        long bytes(Sample sample) throws IOException {
            return TarShardWriter.bytes(sample);
        }
    },
    /** A {@code tf.train.Example} for each sample. */
    TFRECORD("tfrecord") {
        @Override
        ShardWriter open(OutputStream out, List<String> classes) {
            return new TfRecordShardWriter(out);
        }

        @Override
        long bytes(Sample sample) {
            return TfRecordShardWriter.bytes(sample);
        }
    },
    /** An Arrow IPC file with Hugging Face's columns. */
    ARROW("arrow") {
        @Override
        ShardWriter open(OutputStream out, List<String> classes) {
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

    /** The end of a shard's name, and the name of the dataset format. */
    public String extension() {
        return extension;
    }

    /**
     * Begins a shard; the stream is closed by its opener.
     *
     * @param classes the names of the labels, empty where they have none
     */
    abstract ShardWriter open(OutputStream out, List<String> classes) throws IOException;

    /**
     * The bytes that a sample will take in a shard, exactly or a little more.
     *
     * @throws IOException when it cannot be stored
     */
    abstract long bytes(Sample sample) throws IOException;
}
