package io.millrace.dataset.parquet;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Booleans in the encoding RLE, behind the number of their bytes. */
final class RunLengthBooleans implements PageValues {
    private final RunLengths runs;

    RunLengthBooleans(byte[] bytes, int from) {
        int length = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(from);
        if (length < 0 || length > bytes.length - from - Integer.BYTES) {
            throw new IllegalArgumentException("expected booleans within the page's "
                    + (bytes.length - from - Integer.BYTES) + " bytes, found " + length + " bytes");
        }
        this.runs = new RunLengths(bytes, from + Integer.BYTES, from + Integer.BYTES + length, 1);
    }

    @Override
    public long most() {
        return Long.MAX_VALUE;
    }

    @Override
    public void skip(int count) {
        runs.count(0, count);
    }

    @Override
    public void numbers(int count, byte[] to, int at) {
        for (int i = 0; i < count; i++) {
            to[at + i] = (byte) (runs.next() & 1);
        }
    }

    @Override
    public void slices(int count, List<ByteBuffer> to) {
        throw new IllegalStateException("booleans are no byte arrays");
    }
}
