package io.millrace.dataset.parquet;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.parquet.format.Type;

/** Values in the encoding PLAIN: numbers and byte arrays of one width, one after the other. */
final class PlainValues implements PageValues {
    private final byte[] bytes;
    private final int from;
    private final int width;
    private int position;

    private PlainValues(byte[] bytes, int from, int width) {
        this.bytes = bytes;
        this.from = from;
        this.width = width;
        this.position = from;
    }

    /** Returns the values of {@code bytes} from {@code from} on. */
    static PageValues of(ParquetColumn column, byte[] bytes, int from) {
        if (column.stored() == Type.BOOLEAN) {
            return new Bits(bytes, from);
        }
        return column.width() == 0 ? new Arrays(bytes, from) : new PlainValues(bytes, from, column.width());
    }

    @Override
    public long most() {
        return ((long) bytes.length - from) / width;
    }

    @Override
    public void skip(int count) {
        position = Math.addExact(position, Math.multiplyExact(count, width));
    }

    @Override
    public void numbers(int count, byte[] to, int at) {
        int length = Math.multiplyExact(count, width);
        System.arraycopy(bytes, position, to, at, length);
        position += length;
    }

    @Override
    public void slices(int count, List<ByteBuffer> to) {
        for (int i = 0; i < count; i++) {
            to.add(ByteBuffer.wrap(bytes, position, width));
            position += width;
        }
    }

    /** Byte arrays of any length, each behind its length. */
    private static final class Arrays implements PageValues {
        private final ByteBuffer bytes;
        private final int from;

        Arrays(byte[] bytes, int from) {
            this.bytes =
                    ByteBuffer.wrap(bytes, from, bytes.length - from).slice().order(ByteOrder.LITTLE_ENDIAN);
            this.from = this.bytes.position();
        }

        @Override
        public long most() {
            return ((long) bytes.limit() - from) / Integer.BYTES;
        }

        @Override
        public void skip(int count) {
            for (int i = 0; i < count; i++) {
                bytes.position(bytes.position() + length());
            }
        }

        private int length() {
            int length = bytes.remaining() < Integer.BYTES ? -1 : bytes.getInt();
            if (length < 0 || length > bytes.remaining()) {
                throw new IllegalArgumentException("expected a value within the page's last " + bytes.remaining()
                        + " bytes, found a value of " + length + " bytes");
            }
            return length;
        }

        @Override
        public void numbers(int count, byte[] to, int at) {
            throw new IllegalStateException("byte arrays are no numbers");
        }

        @Override
        public void slices(int count, List<ByteBuffer> to) {
            for (int i = 0; i < count; i++) {
                int length = length();
                to.add(bytes.slice(bytes.position(), length));
                bytes.position(bytes.position() + length);
            }
        }
    }

    /** Booleans, one bit each, which become bytes. */
    private static final class Bits implements PageValues {
        private final byte[] bytes;
        private final int from;
        private long next;

        Bits(byte[] bytes, int from) {
            this.bytes = bytes;
            this.from = from;
        }

        @Override
        public long most() {
            return (long) (bytes.length - from) * Byte.SIZE;
        }

        @Override
        public void skip(int count) {
            next += count;
        }

        @Override
        public void numbers(int count, byte[] to, int at) {
            for (int i = 0; i < count; i++) {
                to[at + i] = (byte) (bytes[from + (int) (next / Byte.SIZE)] >> next % Byte.SIZE & 1);
                next++;
            }
        }

        @Override
        public void slices(int count, List<ByteBuffer> to) {
            throw new IllegalStateException("booleans are no byte arrays");
        }
    }
}
