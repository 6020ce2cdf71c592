package io.millrace.dataset.fields;

import java.nio.charset.StandardCharsets;

/** Recognition of encoded images and sounds by their first bytes. */
final class FileMagic {
    private static final byte[][] STARTS = {
        {(byte) 0xFF, (byte) 0xD8, (byte) 0xFF}, // JPEG
        {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'},
        text("GIF87a"),
        text("GIF89a"),
        {'I', 'I', 42, 0}, // TIFF, little-endian
        {'M', 'M', 0, 42}, // TIFF, big-endian
    };
    private static final int RIFF_HEADER_BYTES = 12;
    private static final int BMP_HEADER_BYTES = 26;

    private FileMagic() {}

    /** Returns whether the bytes begin like an image that the decoder can decode. */
    static boolean isImage(byte[] bytes) {
        for (byte[] start : STARTS) {
            if (at(bytes, 0, start)) {
                return true;
            }
        }
        return isWebp(bytes) || isBmp(bytes) || isPortableMap(bytes);
    }

    /** Returns whether the bytes begin like a WAV file. */
    static boolean isSound(byte[] bytes) {
        return bytes.length >= RIFF_HEADER_BYTES && at(bytes, 0, text("RIFF")) && at(bytes, 8, text("WAVE"));
    }

    private static boolean isWebp(byte[] bytes) {
        return bytes.length >= RIFF_HEADER_BYTES && at(bytes, 0, text("RIFF")) && at(bytes, 8, text("WEBP"));
    }

    /**
     * Returns whether the bytes begin like a BMP file. A text may begin with the same two letters, so the reserved
     * bytes after the length must be 0, too.
     */
    private static boolean isBmp(byte[] bytes) {
        return bytes.length >= BMP_HEADER_BYTES && at(bytes, 0, text("BM")) && at(bytes, 6, new byte[4]);
    }

    /**
     * Returns whether the bytes begin with {@code P5} or {@code P6}, which mark the binary kinds, followed by white
     * space and a digit or a comment.
     */
    private static boolean isPortableMap(byte[] bytes) {
        return bytes.length >= 8
                && bytes[0] == 'P'
                && (bytes[1] == '5' || bytes[1] == '6')
                && (bytes[2] == '\n' || bytes[2] == ' ')
                && (bytes[3] == '#' || (bytes[3] >= '0' && bytes[3] <= '9'));
    }

    private static boolean at(byte[] bytes, int offset, byte[] expected) {
        if (bytes.length < offset + expected.length) {
            return false;
        }
        for (int i = 0; i < expected.length; i++) {
            if (bytes[offset + i] != expected[i]) {
                return false;
            }
        }
        return true;
    }

    private static byte[] text(String ascii) {
        return ascii.getBytes(StandardCharsets.US_ASCII);
    }
}
