package io.millrace.image.codec;

import java.util.Arrays;

/**
 * The codec of fax data: modified Huffman (compression 2), Group 3 (3) and Group 4 (4). Each row must have exactly the pixels of
 * a row. libtiff repairs other rows, and thereby hides the damage.
 *
 * <p>Tested by {@code ImageDecoderTest}.
 */
final class TiffFax implements TiffCodec {
    static final int HUFFMAN = 2;
    static final int GROUP3 = 3;
    static final int GROUP4 = 4;

    private static final int TWO_DIMENSIONS = 1;
    private static final int END_OF_LINE_ZEROS = 11;

    private final int width;
    private final int compression;
    private final boolean compared;
    /** The columns at which the colour changes, first from white to black; at the end {@link #width}, three times. */
    private int[] changes = new int[64];

    private int[] above = new int[64];
    private int count;

    private byte[] data = {};
    private long bit;
    private long end;
    private boolean first;
    private boolean marked;

    /**
     * Creates a codec of rows of a width.
     *
     * @param options the options of Group 3, of which the lowest bit states that rows may refer to the row above
     */
    TiffFax(int width, int compression, long options) {
        this.width = width;
        this.compression = compression;
        this.compared = compression == GROUP3 && (options & TWO_DIMENSIONS) != 0;
    }

    @Override
    public void begin(byte[] bytes, int from, int to, int rows) {
        data = bytes;
        bit = 8L * from;
        end = 8L * to;
        first = true;
        marked = false;
        Arrays.fill(changes, 0, 3, width);
    }

    @Override
    public void read(byte[] row, int bytes) throws MalformedImageException {
        int[] swapped = above;
        above = changes;
        changes = swapped;
        count = 0;
        boolean alone = compression != GROUP4;
        if (compression == GROUP3) {
            requireMark();
            alone = !compared || bits(1) == 1;
        }
        if (alone) {
            runs();
        } else {
            differences();
        }
        Arrays.fill(changes, count, count + 3, width);
        if (compression == HUFFMAN) {
            bit = (bit + 7) & ~7L;
        }
        paint(row, bytes);
    }

    /** Skips the mark before a row, if there are marks in this strip. Like libtiff, it skips all data before the first mark. */
    private void requireMark() throws MalformedImageException {
        long from = bit;
        long one = nextOne(from);
        while (first && one < end && one - from < END_OF_LINE_ZEROS) {
            from = one + 1;
            one = nextOne(from);
        }
        boolean found = one < end && one - from >= END_OF_LINE_ZEROS;
        if (first) {
            marked = found;
            first = false;
        }
        if (found != marked) {
            throw damaged(marked ? "the mark of a line" : "no mark of a line");
        }
        if (found) {
            bit = one + 1;
        }
    }

    private long nextOne(long from) {
        long at = from;
        while (at < end && peek(at, 1) == 0) {
            at++;
        }
        return at;
    }

    private void runs() throws MalformedImageException {
        int column = 0;
        boolean white = true;
        while (column < width) {
            column += run(white ? FaxCodes.WHITES : FaxCodes.BLACKS);
            change(column);
            white = !white;
        }
    }

    private void differences() throws MalformedImageException {
        int column = 0;
        int next = 0; // the index of the next change above to the other colour; -1 for the beginning of the row
        while (column < width) {
            int mode = value(FaxCodes.DIFFERENCES);
            if (mode == FaxCodes.HORIZONTAL) {
                boolean white = (count & 1) == 0;
                column += run(white ? FaxCodes.WHITES : FaxCodes.BLACKS);
                change(column);
                column += run(white ? FaxCodes.BLACKS : FaxCodes.WHITES);
                change(column);
                continue;
            }
            while (count > 0 && above(next) <= column && above(next) < width) {
                next += 2;
            }
            if (mode == FaxCodes.PASS) {
                if (above(next) == width) {
                    throw damaged("a change of colour in the row above");
                }
                column = above(next + 1);
                next += 2;
            } else {
                if (above(next) + mode < column) {
                    throw damaged("a change of colour to the right");
                }
                column = above(next) + mode;
                change(column);
                next += mode < 0 ? -1 : 1;
            }
        }
    }

    private int above(int index) {
        return index < 0 ? 0 : above[index];
    }

    private void change(int column) throws MalformedImageException {
        if (column > width || count > width) {
            throw damaged("a row of " + width + " pixels");
        }
        if (count + 4 > changes.length) {
            changes = Arrays.copyOf(changes, 2 * changes.length);
        }
        changes[count++] = column;
    }

    private int run(FaxCodes codes) throws MalformedImageException {
        int length = 0;
        int part;
        do {
            part = value(codes);
            length += part;
        } while (part >= 64 && length <= width);
        return length;
    }

    private int value(FaxCodes codes) throws MalformedImageException {
        int next = peek(bit, FaxCodes.MOST_BITS);
        int length = codes.length(next);
        if (length == 0 || bit + length > end) {
            throw damaged("a code");
        }
        bit += length;
        return codes.value(next);
    }

    private int bits(int number) throws MalformedImageException {
        if (bit + number > end) {
            throw TiffCodec.tooShort(end / 8);
        }
        int value = peek(bit, number);
        bit += number;
        return value;
    }

    /** Returns up to 16 bits from a place, with zeros after the end of the data. */
    private int peek(long from, int number) {
        int at = (int) (from >> 3);
        int last = (int) (end >> 3);
        int word = 0;
        for (int i = 0; i < 3; i++) {
            word = word << 8 | (at + i < last ? data[at + i] & 255 : 0);
        }
        return word >> (24 - (int) (from & 7) - number) & ((1 << number) - 1);
    }

    /** Writes the row: 0 for white, 1 for black. */
    private void paint(byte[] row, int bytes) {
        Arrays.fill(row, 0, bytes, (byte) 0);
        for (int i = 0; i < count; i += 2) {
            int to = i + 1 < count ? changes[i + 1] : width;
            for (int x = changes[i]; x < to; x++) {
                if ((x & 7) == 0 && to - x >= 8) {
                    row[x >> 3] = (byte) 255;
                    x += 7;
                } else {
                    row[x >> 3] |= (byte) (128 >> (x & 7));
                }
            }
        }
    }

    private MalformedImageException damaged(String expected) {
        return bit >= end
                ? TiffCodec.tooShort(end / 8)
                : new MalformedImageException(
                        bit / 8, "corrupt TIFF: expected " + expected + " in fax data, found another at bit " + bit);
    }
}
