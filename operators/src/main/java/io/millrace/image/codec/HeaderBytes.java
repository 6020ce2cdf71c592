package io.millrace.image.codec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Bounds-checked reading of an image's bytes: running over the end is reported as a truncated image. */
final class HeaderBytes {
    private final byte[] bytes;
    private final String what;

    /** Reads from {@code bytes}; {@code what} is how messages call the image, as in "JPEG". */
    HeaderBytes(byte[] bytes, String what) {
        this.bytes = bytes;
        this.what = what;
    }

    int length() {
        return bytes.length;
    }

    /** Checks that {@code count} bytes follow {@code at}; {@code part} is what they are. */
    void require(long at, long count, String part) throws MalformedImageException {
        if (at < 0 || at + count > bytes.length) {
            throw new MalformedImageException(
                    Math.min(Math.max(at, 0), bytes.length),
                    "truncated " + what + ": expected " + count + " bytes of " + part + " at offset " + at
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

    /** Copies {@code count} bytes to the beginning of {@code to}. */
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

    /** Up to {@code count} bytes for people: in hexadecimal, and as text where they are printable. */
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
