package io.millrace.dataset.parquet;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Byte arrays in the encodings DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY. Both store the lengths of the arrays
 * first, and the second stores how many bytes each array shares with the array before it.
 */
final class DeltaStrings implements PageValues {
    /** The width that all arrays must have; 0 when it differs. */
    private final int width;

    private final byte[] bytes;

    /** The numbers of bytes that arrays share with the array before them; null when they share none. */
    private final @Nullable DeltaIntegers prefixes;

    private final DeltaIntegers lengths;
    private int position;
    private ByteBuffer last = ByteBuffer.allocate(0);

    private DeltaStrings(int width, byte[] bytes, @Nullable DeltaIntegers prefixes, int lengthsFrom) {
        this.width = width;
        this.bytes = bytes;
        this.prefixes = prefixes;
        this.lengths = new DeltaIntegers(bytes, lengthsFrom);
        // The arrays begin behind the lengths, so the lengths are read twice.
        this.position = new DeltaIntegers(bytes, lengthsFrom).end();
    }

    static DeltaStrings ofLengths(byte[] bytes, int from) {
        return new DeltaStrings(0, bytes, null, from);
    }

    static DeltaStrings ofPrefixes(int width, byte[] bytes, int from) {
        return new DeltaStrings(width, bytes, new DeltaIntegers(bytes, from), new DeltaIntegers(bytes, from).end());
    }

    @Override
    public long most() {
        return lengths.total();
    }

    private ByteBuffer next() {
        // Differences of integers of 32 bits may overflow.
        int prefix = prefixes == null ? 0 : (int) prefixes.next();
        int length = (int) lengths.next();
        if (prefix < 0 || prefix > last.remaining() || length < 0 || length > bytes.length - position) {
            throw new IllegalArgumentException(
                    "expected at most " + last.remaining() + " bytes of the previous value and "
                            + (bytes.length - position) + " bytes of the page, found " + prefix + " and " + length);
        }
        ByteBuffer suffix = ByteBuffer.wrap(bytes, position, length);
        position += length;
        last = prefix == 0 ? suffix : joined(last, prefix, suffix);
        if (width > 0 && last.remaining() != width) {
            throw new IllegalArgumentException(
                    "expected values of " + width + " bytes, found a value of " + last.remaining() + " bytes");
        }
        return last;
    }

    private static ByteBuffer joined(ByteBuffer before, int prefix, ByteBuffer suffix) {
        return ByteBuffer.allocate(Math.addExact(prefix, suffix.remaining()))
                .put(before.duplicate().limit(before.position() + prefix))
                .put(suffix)
                .flip();
    }

    @Override
    public void skip(int count) {
        for (int i = 0; i < count; i++) {
            next();
        }
    }

    @Override
    public void numbers(int count, byte[] to, int at) {
        for (int i = 0; i < count; i++) {
            next().duplicate().get(to, at + i * width, width);
        }
    }

    @Override
    public void slices(int count, List<ByteBuffer> to) {
        for (int i = 0; i < count; i++) {
            to.add(next());
        }
    }
}
