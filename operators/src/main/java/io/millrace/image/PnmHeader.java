package io.millrace.image;

/** Reads the header of a portable anymap: P1 to P6, numbers parted by white space and comments. */
final class PnmHeader {
    private static final long LARGEST_NUMBER = 1L << 40;

    private final HeaderBytes bytes;
    private long at = 2;

    private PnmHeader(HeaderBytes bytes) {
        this.bytes = bytes;
    }

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        int kind = bytes.u8(1, "the kind") - '0';
        PnmHeader reader = new PnmHeader(bytes);
        long width = reader.number("width");
        long height = reader.number("height");
        boolean bitmap = kind == 1 || kind == 4;
        long largest = bitmap ? 1 : reader.number("largest value");
        int channels = kind % 3 == 0 ? 3 : 1;
        int depth = bitmap ? 1 : largest > 255 ? 16 : 8;
        ImageHeader header = ImageHeader.plain(ImageFormat.PNM, width, height, channels, depth);
        if (!bitmap && largest != 255) {
            return header.withObstacle("a PNM whose largest value is " + largest + " instead of 255");
        }
        if (kind > 3) {
            // One white space ends the header; the pixels follow with no marker that could tell their end.
            long rowBytes = bitmap ? (width + 7) / 8 : width * channels;
            bytes.require(reader.at + 1, header.height() * rowBytes, "pixels");
        }
        return header;
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
            next = bytes.u8(++at, part);
        }
        if (at == start) {
            throw new MalformedImageException(
                    at, "corrupt PNM: expected the " + part + ", found " + bytes.describe((int) at, 4));
        }
        return value;
    }
}
