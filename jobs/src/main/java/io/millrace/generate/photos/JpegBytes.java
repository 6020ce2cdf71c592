package io.millrace.generate.photos;

/** The positions of segments in a complete JPEG file. */
final class JpegBytes {
    /** The marker of a baseline frame; its segment contains length, precision, height, width and components. */
    static final int SOF0 = 0xc0;

    /** The marker of a scan; the entropy-coded data follows its segment. */
    static final int SOS = 0xda;

    private JpegBytes() {}

    /**
     * Returns the position of a marker's segment, beginning with the byte 0xff.
     *
     * @throws IllegalArgumentException when the file has no such segment before its entropy-coded data
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

    /** Returns the position at which the entropy-coded data begins. */
    static int pixels(byte[] jpeg) {
        return next(jpeg, segment(jpeg, SOS));
    }

    private static int next(byte[] jpeg, int segment) {
        return segment + 2 + ((jpeg[segment + 2] & 0xff) << 8) + (jpeg[segment + 3] & 0xff);
    }
}
