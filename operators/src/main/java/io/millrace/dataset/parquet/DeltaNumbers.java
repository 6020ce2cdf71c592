package io.millrace.dataset.parquet;

import java.nio.ByteBuffer;
import java.util.List;

/** Integers in the encoding DELTA_BINARY_PACKED. */
final class DeltaNumbers implements PageValues {
    private final int width;
    private final DeltaIntegers integers;

    DeltaNumbers(int width, byte[] bytes, int from) {
        this.width = width;
        this.integers = new DeltaIntegers(bytes, from);
    }

    @Override
    public long most() {
        return integers.total();
    }

    @Override
    public void skip(int count) {
        for (int i = 0; i < count; i++) {
            integers.next();
        }
    }

    @Override
    public void numbers(int count, byte[] to, int at) {
        for (int i = 0; i < count; i++) {
            long integer = integers.next();
            for (int j = 0; j < width; j++) {
                to[at + i * width + j] = (byte) (integer >> (j * Byte.SIZE));
            }
        }
    }

    @Override
    public void slices(int count, List<ByteBuffer> to) {
        throw new IllegalStateException("integers are no byte arrays");
    }
}
