package io.millrace.image.codec;

import org.jspecify.annotations.Nullable;

/** A reader of a JPEG's segments up to the frame header (ITU-T T.81, annex B). */
public final class JpegHeader {
    private static final int START_OF_SCAN = 0xda;
    private static final int END_OF_IMAGE = 0xd9;

    private JpegHeader() {}

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        long at = 2;
        while (true) {
            at = JpegMarkers.nextInHeader(bytes, (int) at);
            int marker = bytes.u8(at + 1, "a marker");
            if (marker == START_OF_SCAN || marker == END_OF_IMAGE) {
                throw new MalformedImageException(
                        at,
                        String.format(
                                "corrupt JPEG: expected a frame header (SOF) before the first scan, found marker ff %02x",
                                marker));
            }
            int length = bytes.u16Big(at + 2, "a segment's length");
            bytes.require(at + 2, Math.max(length, 2), "a segment");
            if (isFrame(marker)) {
                return frame(bytes, at, marker);
            }
            at += 2 + Math.max(length, 2);
        }
    }

    /** Returns whether a marker is SOF0 to SOF15. DHT (c4), JPG (c8) and DAC (cc) lie between them and are excluded. */
    public static boolean isFrame(int marker) {
        return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    }

    private static ImageHeader frame(HeaderBytes bytes, long at, int marker) throws MalformedImageException {
        bytes.require(at + 4, 6, "the frame header");
        int precision = bytes.u8(at + 4, "precision");
        int height = bytes.u16Big(at + 5, "height");
        int width = bytes.u16Big(at + 7, "width");
        int channels = bytes.u8(at + 9, "the number of components");
        return new ImageHeader(
                ImageFormat.JPEG,
                width,
                height,
                channels,
                precision,
                channels == 4,
                obstacle(marker, precision, channels),
                channels == 4);
    }

    private static @Nullable String obstacle(int marker, int precision, int channels) {
        if (marker > 0xc2 && marker != 0xc9 && marker != 0xca) {
            return String.format("a lossless or hierarchical JPEG (SOF%d)", marker - 0xc0);
        }
        if (precision != 8) {
            return "a JPEG of " + precision + " bits per channel";
        }
        if (channels == 4 && marker > 0xc2) {
            return "a CMYK JPEG with arithmetic coding";
        }
        return channels == 1 || channels == 3 || channels == 4 ? null : "a JPEG of " + channels + " components";
    }
}
