package io.millrace.pack;

import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * TensorFlow's record file: of each record its length (8 bytes, little-endian), the masked CRC-32C of these, the data and
 * its masked CRC-32C.
 */
final class TfRecordShardWriter implements ShardWriter {
    private static final int FRAME = Long.BYTES + 2 * Integer.BYTES;
    private static final int MASK = 0xa282ead8;

    private final OutputStream out;

    TfRecordShardWriter(OutputStream out) {
        this.out = out;
    }

    @Override
    public long bytes(Sample sample) {
        return (long) FRAME + ExampleMessage.of(sample).length;
    }

    @Override
    public void add(Sample sample) throws IOException {
        byte[] data = ExampleMessage.of(sample);
        byte[] length = little(Long.BYTES).putLong(data.length).array();
        out.write(length);
        out.write(little(Integer.BYTES).putInt(masked(length)).array());
        out.write(data);
        out.write(little(Integer.BYTES).putInt(masked(data)).array());
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** A CRC of data that holds CRCs would be weak, so TensorFlow rotates it and adds a constant. */
    private static int masked(byte[] data) {
        CRC32C crc = new CRC32C();
        crc.update(data, 0, data.length);
        return Integer.rotateRight((int) crc.getValue(), 15) + MASK;
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
