package io.millrace.image.codec;

/** The search for markers between the segments of a JPEG (ITU-T T.81, B.1.1.2). */
final class JpegMarkers {
    private static final int FIRST = 0xc0;
    private static final int FIRST_RESTART = 0xd0;
    private static final int LAST_RESTART = 0xd7;
    private static final int START_OF_IMAGE = 0xd8;

    private JpegMarkers() {}

    /** Returns whether a marker is one of the eight restart markers. */
    static boolean isRestart(int marker) {
        return marker >= FIRST_RESTART && marker <= LAST_RESTART;
    }

    /** Returns whether a marker can stand between segments: TEM, reserved codes, restarts and a second SOI cannot. */
    static boolean isKnown(int marker) {
        return marker >= FIRST && !isRestart(marker) && marker != START_OF_IMAGE;
    }

    /**
     * Returns the offset of the next marker, of which the ff is the last one of several.
     *
     * @param at the offset at which a marker is expected
     */
    static int next(HeaderBytes bytes, int at) throws MalformedImageException {
        int next = at;
        while (bytes.u8(next, "a marker") == 0xff && bytes.u8(next + 1L, "a marker") == 0xff) {
            next++;
        }
        if (bytes.u8(next, "a marker") != 0xff || !isKnown(bytes.u8(next + 1L, "a marker"))) {
            throw new MalformedImageException(
                    next, "corrupt JPEG: expected a marker, found " + bytes.describe(next, 4));
        }
        return next;
    }

    /**
     * Returns the offset of the next marker in front of the first scan. Like libjpeg, it skips bytes that belong to no segment,
     * which the programs of some cameras write.
     */
    static int nextInHeader(HeaderBytes bytes, int at) throws MalformedImageException {
        int next = at;
        while (true) {
            if (bytes.u8(next, "a marker") != 0xff) {
                next++;
                continue;
            }
            int marker = bytes.u8(next + 1L, "a marker");
            if (marker == 0 || isRestart(marker)) {
                next += 2;
            } else if (marker == 0xff) {
                next++;
            } else {
                return next(bytes, next);
            }
        }
    }

    /** Returns whether only ff, which may fill up the space in front of a marker, lie between two offsets. */
    static boolean isFilled(HeaderBytes bytes, int from, int to) throws MalformedImageException {
        for (int at = from; at < to; at++) {
            if (bytes.u8(at, "a marker") != 0xff) {
                return false;
            }
        }
        return true;
    }

    /** Returns the length of the segment at offset {@code at}, with its two bytes. Application data and comments may state less. */
    static int length(HeaderBytes bytes, int at) throws MalformedImageException {
        int length = bytes.u16Big(at + 2L, "a segment's length");
        int marker = bytes.u8(at + 1L, "a marker");
        boolean ignored = marker == 0xfe || (marker >= 0xe0 && marker <= 0xef);
        if (length < 2 && !ignored) {
            throw new MalformedImageException(
                    at + 2L, "corrupt JPEG: expected a segment of at least 2 bytes, found " + length);
        }
        bytes.require(at + 2L, Math.max(length, 2), "a segment");
        return Math.max(length, 2);
    }
}
