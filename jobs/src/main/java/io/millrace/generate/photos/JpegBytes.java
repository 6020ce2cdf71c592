package io.millrace.generate.photos;

/** Finds its way through the segments of a whole JPEG file. */
final class JpegBytes {
    /** Start of frame, baseline: length, precision, height, width, components. */
    static final int SOF0 = 0xc0;

    /** Start of scan: after this segment come the entropy-coded pixels. */
    static final int SOS = 0xda;

    private JpegBytes() {}

    /**
     * Where the segment of a marker begins, at its 0xff.
     *
     * @throws IllegalArgumentException when the file has no such segment before its pixels
     */
    static int segment(byte[] jpeg, int marker) {
        int at = 2;
        while (at + 4 <= jpeg.length && (jpeg[at] & 0xff) == 0xff) {
            int found = jpeg[at + 1] & 0xff;
            if (found == marker) {
                return at;
            }
            if (found == SOS) {
                break;
            }
            at = next(jpeg, at);
        }
        throw new IllegalArgumentException("no JPEG segment 0x" + Integer.toHexString(marker));
    }

    /** Where the entropy-coded pixels begin. */
    static int pixels(byte[] jpeg) {
        return next(jpeg, segment(jpeg, SOS));
    }

    private static int next(byte[] jpeg, int segment) {
        return segment + 2 + ((jpeg[segment + 2] & 0xff) << 8) + (jpeg[segment + 3] & 0xff);
    }
}
