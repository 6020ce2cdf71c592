package io.millrace.dataset.tfrecord;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A record of a TFRecord file as its bytes, for who writes such. */
public final class RecordBytes {
    /** Bytes of a record beside its data. */
    public static final int OVERHEAD = RecordFrame.BYTES;

    private RecordBytes() {}

    /** The record that holds this data, ready to be appended to a file. */
    public static byte[] of(byte[] data) {
        ByteBuffer record = ByteBuffer.allocate(OVERHEAD + data.length).order(ByteOrder.LITTLE_ENDIAN);
        record.putLong(data.length);
        record.putInt(MaskedCrc.of(record.duplicate().flip()));
        record.put(data);
        record.putInt(MaskedCrc.of(ByteBuffer.wrap(data)));
        return record.array();
    }
}
