package io.millrace.image.codec;

/**
 * A decoder of bitmaps with 16 bits per pixel, with masks, or with runs. It returns the same pixels as Pillow.
 */
final class BmpPixels {
    private final HeaderBytes bytes;
    private final int height;
    private final int width;
    private final byte[] rgb;

    private BmpPixels(CheckedImage image) {
        bytes = new HeaderBytes(image.encoded(), "BMP");
        height = image.height();
        width = image.width();
        rgb = new byte[Math.toIntExact(3L * height * width)];
    }

    static byte[] decode(CheckedImage image) throws MalformedImageException {
        BmpPixels pixels = new BmpPixels(image);
        if (BmpHeader.method(pixels.bytes) == BmpHeader.RLE8 || BmpHeader.method(pixels.bytes) == BmpHeader.RLE4) {
            pixels.runs();
        } else {
            pixels.masked();
        }
        return pixels.rgb;
    }

    private void masked() throws MalformedImageException {
        int bits = BmpHeader.bits(bytes);
        BmpHeader.Masks masks = BmpHeader.masks(bytes);
        if (masks.red() == 0) { // all masks are 0, which means the usual order
            masks = new BmpHeader.Masks(0xff0000, 0xff00, 0xff, 0);
        }
        long rowBytes = BmpHeader.rowBytes(width, bits);
        for (int y = 0; y < height; y++) {
            long at = BmpHeader.pixelsAt(bytes) + y * rowBytes;
            int to = 3 * row(y) * width;
            for (int x = 0; x < width; x++, at += bits / 8) {
                long pixel = bits == 16 ? bytes.u16Little(at, "pixels") : bytes.u32Little(at, "pixels");
                rgb[to++] = level(pixel, masks.red());
                rgb[to++] = level(pixel, masks.green());
                rgb[to++] = level(pixel, masks.blue());
            }
        }
    }

    private static byte level(long pixel, long mask) {
        int shift = Long.numberOfTrailingZeros(mask);
        return (byte) (((pixel & mask) >> shift) * 255 / (mask >> shift));
    }

    /** Returns the row of the image for a row in stored order. */
    private int row(int stored) throws MalformedImageException {
        return BmpHeader.fromTop(bytes) ? stored : height - 1 - stored;
    }

    private void runs() throws MalformedImageException {
        byte[] indexes = new BmpRuns(bytes, BmpHeader.pixelsAt(bytes), width, height)
                .decode(BmpHeader.method(bytes) == BmpHeader.RLE4);
        byte[] palette = palette();
        for (int y = 0; y < height; y++) {
            int to = 3 * row(y) * width;
            for (int x = 0; x < width; x++, to += 3) {
                System.arraycopy(palette, 3 * (indexes[y * width + x] & 255), rgb, to, 3);
            }
        }
    }

    private byte[] palette() throws MalformedImageException {
        long stated = bytes.u32Little(46, "the palette's size");
        byte[] stored = new byte[3 * (int) Math.min(stated == 0 ? 1L << BmpHeader.bits(bytes) : stated, 256)];
        long at = BmpHeader.paletteAt(bytes);
        for (int to = 0; to < stored.length; to += 3, at += 4) {
            stored[to] = (byte) bytes.u8(at + 2, "the palette");
            stored[to + 1] = (byte) bytes.u8(at + 1, "the palette");
            stored[to + 2] = (byte) bytes.u8(at, "the palette");
        }
        return IndexPalette.of(stored);
    }
}
