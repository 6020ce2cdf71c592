package io.millrace.image.codec;

/**
 * A decoder of a bitmap's runs of 8 or 4 bits, with the rules of Pillow. A run ends at the end of its row. Plain indexes
 * continue in the next row. Skipped pixels have index 0. An end of row after a full row adds nothing.
 */
final class BmpRuns {
    private final HeaderBytes bytes;
    private final int width;
    private final byte[] indexes;
    private long at;
    private int to;
    private int column;

    /** Creates a decoder of the runs that begin at offset {@code at}. */
    BmpRuns(HeaderBytes bytes, long at, int width, int height) {
        this.bytes = bytes;
        this.at = at;
        this.width = width;
        this.indexes = new byte[Math.multiplyExact(width, height)];
    }

    /** Returns the indexes, with rows in stored order; {@code four} is true when an index has 4 bits. */
    byte[] decode(boolean four) throws MalformedImageException {
        while (to < indexes.length) {
            int count = bytes.u8(at, "runs");
            int value = bytes.u8(at + 1, "runs");
            at += 2;
            if (count > 0) {
                run(Math.min(count, Math.max(0, width - column)), value, four);
            } else if (value == 0) {
                skip((width - to % width) % width);
                column = 0;
            } else if (value == 1) {
                throw new MalformedImageException(
                        at, "truncated BMP: expected " + indexes.length + " pixels, found the end of runs after " + to);
            } else if (value == 2) {
                int right = bytes.u8(at, "runs");
                skip((long) right + (long) bytes.u8(at + 1, "runs") * width);
                at += 2;
                column = to % width;
            } else {
                plain(value, four);
            }
        }
        return indexes;
    }

    private void run(int count, int value, boolean four) {
        for (int i = 0; i < count; i++) {
            put(!four ? value : i % 2 == 0 ? value >> 4 : value & 15);
        }
        column += count;
    }

    private void plain(int count, boolean four) throws MalformedImageException {
        int length = four ? count / 2 : count;
        for (int i = 0; i < length; i++) {
            int value = bytes.u8(at++, "runs");
            if (four) {
                put(value >> 4);
                put(value & 15);
            } else {
                put(value);
            }
        }
        column += count;
        at += at & 1;
    }

    private void put(int index) {
        if (to < indexes.length) {
            indexes[to++] = (byte) index;
        }
    }

    private void skip(long count) {
        to = (int) Math.min(indexes.length, to + count);
    }
}
