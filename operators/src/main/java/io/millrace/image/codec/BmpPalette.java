package io.millrace.image.codec;

import java.util.Arrays;

/** A reader of a bitmap's palette, by the rules of Pillow. */
final class BmpPalette {
    private static final int MOST_COLORS = 256;
    private static final int MOST_STATED_COLORS = 65536;

    private BmpPalette() {}

    /** Returns the size of the stored palette in bytes. */
    static long bytes(HeaderBytes bytes) throws MalformedImageException {
        return stated(bytes) * colorBytes(bytes);
    }

    /** Returns 256 colours. Colours that the file does not have are black. */
    static byte[] read(HeaderBytes bytes) throws MalformedImageException {
        byte[] stored = stored(bytes);
        // A palette of two colours counts as gray only if they are black and white.
        return stored.length == 6 ? Arrays.copyOf(stored, 3 * MOST_COLORS) : IndexPalette.of(stored);
    }

    static boolean isBlackAndWhite(HeaderBytes bytes) throws MalformedImageException {
        return Arrays.equals(stored(bytes), new byte[] {0, 0, 0, -1, -1, -1});
    }

    private static byte[] stored(HeaderBytes bytes) throws MalformedImageException {
        byte[] stored = new byte[3 * (int) Math.min(stated(bytes), MOST_COLORS)];
        long at = BmpHeader.paletteAt(bytes);
        for (int to = 0; to < stored.length && at + 3 <= bytes.length(); to += 3, at += colorBytes(bytes)) {
            stored[to] = (byte) bytes.u8(at + 2, "the palette");
            stored[to + 1] = (byte) bytes.u8(at + 1, "the palette");
            stored[to + 2] = (byte) bytes.u8(at, "the palette");
        }
        return stored;
    }

    private static long stated(HeaderBytes bytes) throws MalformedImageException {
        long stated = BmpHeader.isCore(bytes) ? 0 : bytes.u32Little(46, "the palette's size");
        if (stated > MOST_STATED_COLORS) {
            throw new MalformedImageException(
                    46,
                    "corrupt BMP: expected a palette of at most " + MOST_STATED_COLORS + " colours, found " + stated);
        }
        return stated == 0 ? 1L << BmpHeader.bits(bytes) : stated;
    }

    private static int colorBytes(HeaderBytes bytes) throws MalformedImageException {
        return BmpHeader.isCore(bytes) ? 3 : 4;
    }
}
