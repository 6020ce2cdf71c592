package io.millrace.image.codec;

/**
 * A reader of the header and the samples of a portable anymap, P1 to P6, with the rules of Pillow: white space separates the
 * numbers, a comment extends from '#' to the end of its line, and what is on both sides of it belongs together.
 */
final class PnmHeader {
    private static final int MOST_DIGITS = 10;
    private static final int MOST = 65535;
    private static final int END = -1;

    private final HeaderBytes bytes;
    private final int kind;
    private final long width;
    private final long height;
    private final long largest;
    private long at = 2;

    private PnmHeader(HeaderBytes bytes) throws MalformedImageException {
        this.bytes = bytes;
        kind = bytes.u8(1, "the kind") - '0';
        width = number("width");
        height = number("height");
        largest = bitmap() ? 1 : number("largest value");
    }

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        PnmHeader reader = new PnmHeader(bytes);
        int channels = reader.kind % 3 == 0 ? 3 : 1;
        int depth = reader.bitmap() ? 1 : reader.largest > 255 ? 16 : 8;
        ImageHeader header = ImageHeader.plain(ImageFormat.PNM, reader.width, reader.height, channels, depth)
                .withConversion();
        if (reader.largest < 1 || reader.largest > MOST) {
            return header.withObstacle("a PNM whose largest value is " + reader.largest + " instead of 1 to " + MOST);
        }
        if (!reader.plain()) {
            // The pixels have no marker at their end, so their length is checked.
            bytes.require(reader.at, header.height() * reader.rowBytes(), "pixels");
        }
        return header;
    }

    /** Returns a reader that has skipped the header. */
    static PnmHeader upToPixels(HeaderBytes bytes) throws MalformedImageException {
        return new PnmHeader(bytes);
    }

    long largest() {
        return largest;
    }

    /** Returns whether samples are bits, of which 1 is black. */
    boolean bitmap() {
        return kind == 1 || kind == 4;
    }

    /** Returns whether samples are text. */
    boolean plain() {
        return kind < 4;
    }

    /** Returns the bytes of a row that is not text. */
    long rowBytes() {
        long samples = width * (kind % 3 == 0 ? 3 : 1);
        return bitmap() ? (samples + 7) / 8 : largest > 255 ? 2 * samples : samples;
    }

    /** Reads the next row that is not text. */
    void row(byte[] row) throws MalformedImageException {
        bytes.copy(at, row, row.length, "pixels");
        at += row.length;
    }

    /** Reads the next sample, which is text. */
    int plainSample() throws MalformedImageException {
        long value = bitmap() ? bit() : number("sample");
        if (value > largest) {
            throw new MalformedImageException(
                    at, "corrupt PNM: expected a sample of at most " + largest + ", found " + value);
        }
        return (int) value;
    }

    /** Reads a bit. No white space need separate it from the next one. */
    private int bit() throws MalformedImageException {
        int next = nextInk();
        if (next != '0' && next != '1') {
            throw unexpected("a sample, 0 or 1", next);
        }
        return next - '0';
    }

    private long number(String part) throws MalformedImageException {
        int next = nextInk();
        long value = 0;
        int digits = 0;
        do {
            if (next < '0' || next > '9' || ++digits > MOST_DIGITS) {
                throw unexpected("the " + part, next);
            }
            value = value * 10 + next - '0';
            next = next();
        } while (next != END && !isWhite(next)); // the last sample may end the file
        return value;
    }

    /** Returns the next byte that is neither white space nor part of a comment. */
    private int nextInk() throws MalformedImageException {
        int next = next();
        while (isWhite(next)) {
            next = next();
        }
        return next;
    }

    /** Returns the next byte that is not part of a comment, or {@link #END}. */
    private int next() throws MalformedImageException {
        boolean comment = false;
        while (at < bytes.length()) {
            int next = bytes.u8(at++, "the file");
            if (comment) {
                comment = next != '\r' && next != '\n';
            } else if (next == '#') {
                comment = true;
            } else {
                return next;
            }
        }
        return END;
    }

    private static boolean isWhite(int value) {
        return value == ' ' || (value >= '\t' && value <= '\r');
    }

    private MalformedImageException unexpected(String expected, int found) {
        long place = found == END ? at : at - 1;
        return new MalformedImageException(
                place,
                (found == END ? "truncated" : "corrupt") + " PNM: expected " + expected + ", found "
                        + bytes.describe((int) place, 4));
    }
}
