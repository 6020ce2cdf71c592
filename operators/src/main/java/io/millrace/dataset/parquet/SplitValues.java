package io.millrace.dataset.parquet;

import java.nio.ByteBuffer;
import java.util.List;

/** Values of one width in the encoding BYTE_STREAM_SPLIT: the first bytes of all values, then the second, and so on. */
final class SplitValues implements PageValues {
    private final int width;
    private final byte[] bytes;
    private final int from;
    private final int count;
    private int next;

    SplitValues(int width, byte[] bytes, int from) {
        this.width = width;
        this.bytes = bytes;
        this.from = from;
        this.count = (bytes.length - from) / width;
        if (count * width != bytes.length - from) {
            throw new IllegalArgumentException(
                    "expected values of " + width + " bytes, found " + (bytes.length - from) + " bytes in total");
        }
    }

    @Override
    public long most() {
        return count;
    }

    @Override
    public void skip(int values) {
        next += values;
    }

    @Override
    public void numbers(int values, byte[] to, int at) {
        for (int j = 0; j < width; j++) {
            int source = from + j * count + next;
            for (int i = 0; i < values; i++) {
                to[at + i * width + j] = bytes[source + i];
            }
        }
        next += values;
    }

    @Override
    public void slices(int values, List<ByteBuffer> to) {
        byte[] joined = new byte[values * width];
        numbers(values, joined, 0);
        for (int i = 0; i < values; i++) {
            to.add(ByteBuffer.wrap(joined, i * width, width));
        }
    }
}
