package io.millrace.image.codec;

import java.util.Arrays;

/**
 * A decoder of a GIF's first frame onto its screen (GIF89a). As in Pillow, the screen outside the frame has the transparent
 * colour, or the first colour of the palette; and transparent pixels keep their palette colour.
 */
final class GifPixels {
    private static final int LOCAL_PALETTE = 0x80;
    private static final int INTERLACED = 0x40;
    private static final int[] FIRST_ROWS = {0, 4, 2, 1};
    private static final int[] ROW_STEPS = {8, 8, 4, 2};

    private GifPixels() {}

    static byte[] decode(CheckedImage image) throws MalformedImageException {
        ImageHeader header = image.header();
        HeaderBytes bytes = new HeaderBytes(image.encoded(), "GIF");
        GifHeader.Frame frame = GifHeader.firstFrame(bytes);
        int flags = bytes.u8(frame.at() + 9, "the first frame");
        long data = frame.at() + 10;
        byte[] palette = IndexPalette.gray();
        if ((flags & LOCAL_PALETTE) != 0) {
            palette = palette(bytes, data, flags);
            data += paletteBytes(flags);
        } else if ((bytes.u8(10, "flags") & LOCAL_PALETTE) != 0) {
            palette = palette(bytes, GifHeader.SCREEN_END, bytes.u8(10, "flags"));
        }
        byte[] indexes = new GifCodes(bytes, data).decode(frame.width() * frame.height());
        byte[] rgb = new byte[Math.toIntExact(3 * header.pixels())];
        int background = Math.max(0, frame.transparent());
        if (frame.width() != header.width() || frame.height() != header.height()) {
            for (int at = 0; at < rgb.length; at += 3) {
                System.arraycopy(palette, 3 * background, rgb, at, 3);
            }
        }
        int[] rows = rows(frame.height(), (flags & INTERLACED) != 0);
        for (int y = 0; y < rows.length; y++) {
            int to = 3 * ((frame.top() + rows[y]) * header.width() + frame.left());
            for (int x = 0; x < frame.width(); x++, to += 3) {
                System.arraycopy(palette, 3 * (indexes[y * frame.width() + x] & 255), rgb, to, 3);
            }
        }
        return rgb;
    }

    private static int paletteBytes(int flags) {
        return 3 << ((flags & 7) + 1);
    }

    private static byte[] palette(HeaderBytes bytes, long at, int flags) throws MalformedImageException {
        byte[] stored = new byte[paletteBytes(flags)];
        bytes.copy(at, stored, stored.length, "a palette");
        return IndexPalette.of(stored);
    }

    /** Returns the rows of the frame in the order in which they are stored. */
    private static int[] rows(int height, boolean interlaced) {
        int[] rows = new int[height];
        if (!interlaced) {
            Arrays.setAll(rows, row -> row);
            return rows;
        }
        int next = 0;
        for (int pass = 0; pass < FIRST_ROWS.length; pass++) {
            for (int row = FIRST_ROWS[pass]; row < height; row += ROW_STEPS[pass]) {
                rows[next++] = row;
            }
        }
        return rows;
    }
}
