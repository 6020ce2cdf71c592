package io.millrace.dataset.parquet;

/**
 * A reader of integers in the encoding DELTA_BINARY_PACKED: the first integer, and then packed differences in blocks.
 * Belongs to one thread. Its methods throw an {@link IllegalArgumentException} when the bytes are damaged.
 */
final class DeltaIntegers {
    private static final int MAX_BLOCK = 1 << 20;
    private static final int MAX_SHIFT = 63;

    private final byte[] bytes;
    private final int blockValues;
    private final int miniBlocks;
    private final long total;
    private int position;
    private long last;
    private long returned;

    /** The number of differences that are left in the block. */
    private int leftInBlock;

    private long least;

    /** The position of the widths of the block's miniature blocks. */
    private int widths;

    private int miniBlock;
    private int leftInMiniBlock;
    private int width;
    private long bit;

    DeltaIntegers(byte[] bytes, int from) {
        this.bytes = bytes;
        this.position = from;
        long block = unsigned();
        long count = unsigned();
        this.total = unsigned();
        this.last = zigzag();
        if (block < 1 || block > MAX_BLOCK || count < 1 || count > block || block % count != 0 || total < 0) {
            throw new IllegalArgumentException("expected blocks of at most " + MAX_BLOCK
                    + " differences in equal parts, found " + block + " differences in " + count + " parts");
        }
        this.blockValues = (int) block;
        this.miniBlocks = (int) count;
    }

    /** Returns the number of integers that the bytes state. */
    long total() {
        return total;
    }

    /** Returns the next integer. */
    long next() {
        if (returned == total) {
            throw new IllegalArgumentException("expected more than " + total + " integers, found no more");
        }
        if (returned++ == 0) {
            return last;
        }
        if (leftInBlock == 0) {
            beginBlock();
        }
        if (leftInMiniBlock == 0) {
            beginMiniBlock();
        }
        leftInBlock--;
        leftInMiniBlock--;
        last += least + difference();
        return last;
    }

    /** Skips all integers that were not returned yet, and returns the offset of the first byte after them. */
    int end() {
        while (returned < total) {
            next();
        }
        return position;
    }

    private void beginBlock() {
        least = zigzag();
        widths = position;
        position = advance(miniBlocks);
        leftInBlock = blockValues;
        miniBlock = 0;
        leftInMiniBlock = 0;
    }

    private void beginMiniBlock() {
        width = Byte.toUnsignedInt(bytes[widths + miniBlock++]);
        if (width > Long.SIZE) {
            throw new IllegalArgumentException("expected differences of at most 64 bits, found " + width + " bits");
        }
        leftInMiniBlock = blockValues / miniBlocks;
        bit = (long) position * Byte.SIZE;
        // The last part of a column may be cut off behind its last integer.
        long length = ((long) leftInMiniBlock * width + Byte.SIZE - 1) / Byte.SIZE;
        long needed = (Math.min(leftInMiniBlock, total - returned + 1) * width + Byte.SIZE - 1) / Byte.SIZE;
        if (needed > bytes.length - position) {
            throw new IllegalArgumentException(
                    "expected " + needed + " bytes of differences, found " + (bytes.length - position));
        }
        position = (int) Math.min(position + length, bytes.length);
    }

    private long difference() {
        long value = 0;
        for (int done = 0; done < width; ) {
            int inByte = (int) (bit % Byte.SIZE);
            int count = Math.min(Byte.SIZE - inByte, width - done);
            long part = Byte.toUnsignedInt(bytes[(int) (bit / Byte.SIZE)]) >> inByte & (1 << count) - 1;
            value |= part << done;
            done += count;
            bit += count;
        }
        return value;
    }

    private int advance(int count) {
        if (count > bytes.length - position) {
            throw new IllegalArgumentException("the integers of a page end too early");
        }
        return position + count;
    }

    private long unsigned() {
        long value = 0;
        for (int shift = 0; shift <= MAX_SHIFT; shift += 7) {
            int at = position;
            position = advance(1);
            value |= (bytes[at] & 0x7FL) << shift;
            if (bytes[at] >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a number in a page has more than 64 bits");
    }

    private long zigzag() {
        long value = unsigned();
        return value >>> 1 ^ -(value & 1);
    }
}
