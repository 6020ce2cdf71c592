package io.millrace.pack;

import io.millrace.dataset.tfrecord.RecordBytes;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.OutputStream;

/** A writer of TFRecord files, which consist of consecutive {@link RecordBytes}. */
final class TfRecordShardWriter implements ShardWriter {
    private final OutputStream out;
    private final boolean labelled;

    TfRecordShardWriter(OutputStream out, boolean labelled) {
        this.labelled = labelled;
        this.out = out;
    }

    /** Returns the bytes that a sample will occupy, exactly or slightly more. */
    static long bytes(Sample sample) {
        return (long) RecordBytes.OVERHEAD + ExampleMessage.of(sample, true).length;
    }

    @Override
    public void add(Sample sample) throws IOException {
        out.write(RecordBytes.of(ExampleMessage.of(sample, labelled)));
    }

    @Override
    public void finish() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
