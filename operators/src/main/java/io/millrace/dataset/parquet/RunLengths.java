package io.millrace.dataset.parquet;

/**
 * A reader of small numbers in Parquet's encoding RLE, a mixture of runs of one number and groups of packed numbers.
 * Levels, numbers of dictionary values, and some booleans are stored in this way. It needs no memory for the numbers.
 * Belongs to one thread. Its methods throw an {@link IllegalArgumentException} when the bytes end too early.
 *
 * <p>Tested by {@code ParquetPagesTest}.
 */
final class RunLengths {
    private static final int MAX_HEADER_SHIFT = 28;
    private static final int GROUP = 8;

    private final byte[] bytes;
    private final int end;
    private final int width;
    private int position;

    /** The count of numbers that are left in the current run or in the current groups. */
    private long left;

    private boolean packed;

    /** The number of the current run. */
    private int repeated;

    /** The bits of packed numbers that were read from the bytes and not returned yet. */
    private long bits;

    private int bitCount;

    /**
     * Creates a reader of {@code bytes} from {@code from} to {@code end}.
     *
     * @param width the number of bits of a packed number, 0 to 32; numbers of 0 bits are all 0, and nothing is read
     */
    RunLengths(byte[] bytes, int from, int end, int width) {
        if (width < 0 || width > Integer.SIZE || from < 0 || from > end || end > bytes.length) {
            throw new IllegalArgumentException("expected numbers of 0 to 32 bits within the page, found numbers of "
                    + width + " bits from " + from + " to " + end);
        }
        this.bytes = bytes;
        this.position = from;
        this.end = end;
        this.width = width;
        if (width == 0) {
            left = Long.MAX_VALUE;
        }
    }

    /**
     * Returns a reader of levels in the deprecated encoding BIT_PACKED, which packs them from the highest bit of each
     * byte.
     */
    static RunLengths ofPackedLevels(byte[] bytes, int from, int count, int width) {
        int length = packedBytes(count, width);
        if (length > bytes.length - from) {
            throw new IllegalArgumentException(
                    "expected " + length + " bytes of levels, found " + (bytes.length - from) + " bytes");
        }
        // The encoding RLE packs from the lowest bit.
        byte[] turned = new byte[length];
        for (int i = 0; i < count; i++) {
            for (int bit = 0; bit < width; bit++) {
                long source = (long) i * width + bit;
                long target = (long) i * width + width - 1 - bit;
                int set = bytes[from + (int) (source / GROUP)] >> (GROUP - 1 - source % GROUP) & 1;
                turned[(int) (target / GROUP)] |= (byte) (set << target % GROUP);
            }
        }
        RunLengths levels = new RunLengths(turned, 0, length, width);
        levels.packed = true;
        levels.left = count;
        return levels;
    }

    /** Returns the number of bytes of packed numbers. */
    static int packedBytes(int count, int width) {
        return (int) (((long) count * width + GROUP - 1) / GROUP);
    }

    /** Returns the next number. */
    int next() {
        if (left == 0) {
            beginRun();
        }
        left--;
        return packed ? unpack() : repeated;
    }

    /**
     * Returns how many of the following numbers are certainly equal to the number that {@link #next} returned last; 0
     * within packed numbers.
     */
    long repeats() {
        return packed ? 0 : left;
    }

    /** Skips numbers, at most {@link #repeats}. */
    void skipRepeats(long count) {
        left -= count;
    }

    /** Skips numbers and returns how many of them are {@code wanted}. */
    long count(int wanted, long numbers) {
        long found = 0;
        long ahead = numbers;
        while (ahead > 0) {
            boolean equal = next() == wanted;
            long more = Math.min(ahead - 1, repeats());
            skipRepeats(more);
            found += equal ? 1 + more : 0;
            ahead -= 1 + more;
        }
        return found;
    }

    private int unpack() {
        while (bitCount < width) {
            bits |= (long) Byte.toUnsignedInt(byteAt()) << bitCount;
            bitCount += Byte.SIZE;
        }
        int number = (int) (bits & (1L << width) - 1);
        bits >>>= width;
        bitCount -= width;
        return number;
    }

    private byte byteAt() {
        if (position == end) {
            throw new IllegalArgumentException("the levels, indexes or booleans of a page end too early");
        }
        return bytes[position++];
    }

    private void beginRun() {
        do {
            int header = header();
            packed = (header & 1) != 0;
            if (packed) {
                left = (long) (header >>> 1) * GROUP;
                bits = 0;
                bitCount = 0;
            } else {
                left = (long) header >>> 1;
                repeated = 0;
                for (int i = 0; i < width; i += Byte.SIZE) {
                    repeated |= Byte.toUnsignedInt(byteAt()) << i;
                }
            }
        } while (left == 0);
    }

    private int header() {
        int header = 0;
        int shift = 0;
        byte next;
        do {
            if (shift > MAX_HEADER_SHIFT) {
                throw new IllegalArgumentException("a run states a length of more than 32 bits");
            }
            next = byteAt();
            header |= (next & 0x7F) << shift;
            shift += 7;
        } while (next < 0);
        return header;
    }
}
