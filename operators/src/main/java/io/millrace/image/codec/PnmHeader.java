package io.millrace.image.codec;

/**
 * A reader of the header and the samples of a portable anymap, P1 to P6. White space and comments separate the numbers of the
 * header.
 */
final class PnmHeader {
    private static final long LARGEST_NUMBER = 1L << 40;
    private static final int MOST = 65535;

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
        ImageHeader header = ImageHeader.plain(ImageFormat.PNM, reader.width, reader.height, channels, depth);
        if (reader.largest < 1 || reader.largest > MOST) {
            return header.withObstacle("a PNM whose largest value is " + reader.largest + " instead of 1 to " + MOST);
        }
        if (reader.kind > 3) {
            // One white space ends the header. The pixels follow without a marker at their end, so their length is
            // checked.
            long samples = (long) header.width() * channels;
            long rowBytes = reader.bitmap() ? (samples + 7) / 8 : depth == 16 ? 2 * samples : samples;
            bytes.require(reader.at + 1, header.height() * rowBytes, "pixels");
        }
        return reader.bitmap() || reader.largest == 255 ? header : header.withConversion();
    }

    /** Returns a reader that has skipped the header. */
    static PnmHeader upToPixels(HeaderBytes bytes) throws MalformedImageException {
        PnmHeader reader = new PnmHeader(bytes);
        if (reader.kind > 3) {
            reader.at++;
        }
        return reader;
    }

    long largest() {
        return largest;
    }

    /** Reads the next sample of a graymap or pixmap. */
    int sample() throws MalformedImageException {
        if (kind < 4) {
            long value = at < bytes.length() ? number("sample") : -1;
            if (value < 0 || value > largest) {
                throw new MalformedImageException(
                        Math.min(at, bytes.length()),
                        "corrupt PNM: expected a sample of at most " + largest + ", found "
                                + (value < 0 ? "the end of the file" : String.valueOf(value)));
            }
            return (int) value;
        }
        int value = largest > 255 ? bytes.u16Big(at, "pixels") : bytes.u8(at, "pixels");
        at += largest > 255 ? 2 : 1;
        return value;
    }

    private boolean bitmap() {
        return kind == 1 || kind == 4;
    }

    private long number(String part) throws MalformedImageException {
        int next = bytes.u8(at, part);
        while (next <= ' ' || next == '#') {
            if (next == '#') {
                while (bytes.u8(at, part) != '\n') {
                    at++;
                }
            }
            next = bytes.u8(++at, part);
        }
        long value = 0;
        long start = at;
        while (next >= '0' && next <= '9' && value < LARGEST_NUMBER) {
            value = value * 10 + next - '0';
            at++;
            // The last sample of a plain anymap may be the last byte of the file.
            next = at < bytes.length() ? bytes.u8(at, part) : ' ';
        }
        if (at == start) {
            throw new MalformedImageException(
                    at, "corrupt PNM: expected the " + part + ", found " + bytes.describe((int) at, 4));
        }
        return value;
    }
}
