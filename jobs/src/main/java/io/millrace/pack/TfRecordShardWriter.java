package io.millrace.pack;

import io.millrace.dataset.tfrecord.MaskedCrc;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * TensorFlow's record file: of each record its length (8 bytes, little-endian), the masked CRC-32C of these, the data and
 * its masked CRC-32C.
 */
final class TfRecordShardWriter implements ShardWriter {
    private static final int FRAME = Long.BYTES + 2 * Integer.BYTES;

    private final OutputStream out;

    TfRecordShardWriter(OutputStream out) {
        this.out = out;
    }

    /** The bytes that a sample will take, exactly or a little more. */
    static long bytes(Sample sample) {
        return (long) FRAME + ExampleMessage.of(sample).length;
    }

    @Override
    public void add(Sample sample) throws IOException {
        byte[] data = ExampleMessage.of(sample);
        byte[] length = little(Long.BYTES).putLong(data.length).array();
        out.write(length);
        out.write(little(Integer.BYTES)
                .putInt(MaskedCrc.of(ByteBuffer.wrap(length)))
                .array());
        out.write(data);
        out.write(little(Integer.BYTES)
                .putInt(MaskedCrc.of(ByteBuffer.wrap(data)))
                .array());
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
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
