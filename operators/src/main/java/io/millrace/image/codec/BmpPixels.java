package io.millrace.image.codec;

/** A decoder of bitmaps. It returns the same pixels as Pillow. */
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
        if (BmpHeader.bits(pixels.bytes) <= Byte.SIZE) {
            pixels.indexed();
        } else {
            pixels.colored();
        }
        return pixels.rgb;
    }

    private void colored() throws MalformedImageException {
        int bits = BmpHeader.bits(bytes);
        BmpHeader.Masks masks = BmpHeader.masks(bytes);
        byte[] row = new byte[Math.toIntExact(((long) width * bits + 7) / 8)];
        for (int y = 0; y < height; y++) {
            read(y, row);
            int to = 3 * row(y) * width;
            if (bits > 16) {
                ofBytes(row, bits / Byte.SIZE, masks, to);
            } else {
                for (int at = 0; at < row.length; at += 2, to += 3) {
                    int pixel = (row[at] & 255) | (row[at + 1] & 255) << 8;
                    rgb[to] = level(pixel, masks.red());
                    rgb[to + 1] = level(pixel, masks.green());
                    rgb[to + 2] = level(pixel, masks.blue());
                }
            }
        }
    }

    /** Writes a row of pixels with a byte for each channel. */
    private void ofBytes(byte[] row, int pixelBytes, BmpHeader.Masks masks, int begin) {
        int red = Long.numberOfTrailingZeros(masks.red()) / Byte.SIZE;
        int green = Long.numberOfTrailingZeros(masks.green()) / Byte.SIZE;
        int blue = Long.numberOfTrailingZeros(masks.blue()) / Byte.SIZE;
        byte[] target = rgb;
        for (int x = 0; x < width; x++) {
            int at = x * pixelBytes;
            int to = begin + 3 * x;
            target[to] = row[at + red];
            target[to + 1] = row[at + green];
            target[to + 2] = row[at + blue];
        }
    }

    private void read(int stored, byte[] row) throws MalformedImageException {
        long rowBytes = BmpHeader.rowBytes(width, BmpHeader.bits(bytes));
        bytes.copy(BmpHeader.pixelsAt(bytes) + stored * rowBytes, row, row.length, "pixels");
    }

    private static byte level(long pixel, long mask) {
        int shift = Long.numberOfTrailingZeros(mask);
        return (byte) (((pixel & mask) >> shift) * 255 / (mask >> shift));
    }

    /** Returns the row of the image for a row in stored order. */
    private int row(int stored) throws MalformedImageException {
        return BmpHeader.fromTop(bytes) ? stored : height - 1 - stored;
    }

    private void indexed() throws MalformedImageException {
        byte[] palette = BmpPalette.read(bytes);
        boolean coded = BmpHeader.isRunLengthCoded(bytes);
        byte[] indexes = !coded
                ? new byte[0]
                : new BmpRuns(bytes, BmpHeader.pixelsAt(bytes), width, height)
                        .decode(BmpHeader.method(bytes) == BmpHeader.RLE4);
        int bits = BmpHeader.bits(bytes);
        byte[] row = new byte[Math.toIntExact(((long) width * bits + 7) / 8)];
        for (int y = 0; y < height; y++) {
            if (!coded) {
                read(y, row);
            }
            int to = 3 * row(y) * width;
            for (int x = 0; x < width; x++, to += 3) {
                int index = coded ? indexes[y * width + x] & 255 : PngPixels.sample(row, x, bits);
                System.arraycopy(palette, 3 * index, rgb, to, 3);
            }
        }
    }
}
