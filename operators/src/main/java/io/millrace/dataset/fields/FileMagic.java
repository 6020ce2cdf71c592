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
    private static final byte[] WAVE = text("WAVE");
    private static final byte[][] SOUND_STARTS = {text("RIFF"), text("RIFX"), text("RF64"), text("BW64")};
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

    /** Returns whether the bytes begin like a WAV file, whose sizes may be big-endian or have 64 bits. */
    static boolean isSound(byte[] bytes) {
        if (bytes.length < RIFF_HEADER_BYTES || !at(bytes, 8, WAVE)) {
            return false;
        }
        for (byte[] start : SOUND_STARTS) {
            if (at(bytes, 0, start)) {
                return true;
            }
        }
        return false;
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
     * Returns whether the bytes begin with {@code P1} to {@code P6}, white space, and a comment or the digits of the width. A
     * text may begin with the same letter and digit, so white space and a second number must follow the width.
     */
    private static boolean isPortableMap(byte[] bytes) {
        if (bytes.length < 8 || bytes[0] != 'P' || bytes[1] < '1' || bytes[1] > '6' || !isSpace(bytes[2])) {
            return false;
        }
        int width = afterSpaces(bytes, 2);
        int end = width;
        while (end < bytes.length && isDigit(bytes[end])) {
            end++;
        }
        int next = afterSpaces(bytes, end);
        boolean comment = width < bytes.length && bytes[width] == '#';
        return comment
                || (end > width && next > end && next < bytes.length && (isDigit(bytes[next]) || bytes[next] == '#'));
    }

    private static int afterSpaces(byte[] bytes, int from) {
        int at = from;
        while (at < bytes.length && isSpace(bytes[at])) {
            at++;
        }
        return at;
    }

    private static boolean isSpace(byte value) {
        return value == ' ' || (value >= '\t' && value <= '\r');
    }

    private static boolean isDigit(byte value) {
        return value >= '0' && value <= '9';
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
