package io.millrace.image.codec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The bytes of an image, read with checked bounds. A read beyond the end is reported as a truncated image. */
final class HeaderBytes {
    private final byte[] bytes;
    private final String format;

    /** Creates a reader of {@code bytes}; messages contain the {@code format} of the image, such as "JPEG". */
    HeaderBytes(byte[] bytes, String format) {
        this.bytes = bytes;
        this.format = format;
    }

    int length() {
        return bytes.length;
    }

    /** Returns all bytes, which are shared. */
    byte[] all() {
        return bytes;
    }

    /**
     * Checks that {@code count} bytes follow offset {@code at}.
     *
     * @param part the name of these bytes in messages, such as "width"
     */
    void require(long at, long count, String part) throws MalformedImageException {
        if (at < 0 || at + count > bytes.length) {
            throw new MalformedImageException(
                    Math.min(Math.max(at, 0), bytes.length),
                    "truncated " + format + ": expected " + count + " bytes of " + part + " at offset " + at
                            + ", found the end of the file at " + bytes.length);
        }
    }

    int u8(long at, String part) throws MalformedImageException {
        require(at, 1, part);
        return bytes[(int) at] & 255;
    }

    int u16Big(long at, String part) throws MalformedImageException {
        require(at, 2, part);
        return ((bytes[(int) at] & 255) << 8) | (bytes[(int) at + 1] & 255);
    }

    int u16Little(long at, String part) throws MalformedImageException {
        require(at, 2, part);
        return ((bytes[(int) at + 1] & 255) << 8) | (bytes[(int) at] & 255);
    }

    long u32Big(long at, String part) throws MalformedImageException {
        return ((long) u16Big(at, part) << 16) | u16Big(at + 2, part);
    }

    long u32Little(long at, String part) throws MalformedImageException {
        return ((long) u16Little(at + 2, part) << 16) | u16Little(at, part);
    }

    /** Copies {@code count} bytes from offset {@code at} to the beginning of {@code to}. */
    void copy(long at, byte[] to, int count, String part) throws MalformedImageException {
        require(at, count, part);
        System.arraycopy(bytes, (int) at, to, 0, count);
    }

    String text(long at, int count, String part) throws MalformedImageException {
        require(at, count, part);
        return new String(bytes, (int) at, count, StandardCharsets.ISO_8859_1);
    }

    boolean startsWith(int at, int... expected) {
        if (bytes.length < at + expected.length) {
            return false;
        }
        for (int i = 0; i < expected.length; i++) {
            if ((bytes[at + i] & 255) != expected[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns up to {@code count} bytes for a message: in hexadecimal, and as text with dots for unprintable bytes. */
    String describe(int at, int count) {
        int end = Math.min(bytes.length, at + count);
        List<String> hex = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (int i = at; i < end; i++) {
            hex.add(String.format("%02x", bytes[i]));
            text.append(bytes[i] >= ' ' && bytes[i] < 127 ? (char) bytes[i] : '.');
        }
        return hex.isEmpty() ? "the end of the file" : String.join(" ", hex) + " ('" + text + "')";
    }
}
