package io.millrace.dataset.tfrecord;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The bytes of one record of a TFRecord file, for programs that write such files. */
public final class RecordBytes {
    /** The number of bytes of a record besides its data. */
    public static final int OVERHEAD = RecordIndexer.FRAME_BYTES;

    private RecordBytes() {}

    /** Returns the record with this data, ready to be appended to a file. */
    public static byte[] of(byte[] data) {
        ByteBuffer record = ByteBuffer.allocate(OVERHEAD + data.length).order(ByteOrder.LITTLE_ENDIAN);
        record.putLong(data.length);
        record.putInt(MaskedCrc.of(record.duplicate().flip()));
        record.put(data);
        record.putInt(MaskedCrc.of(ByteBuffer.wrap(data)));
        return record.array();
    }
}
