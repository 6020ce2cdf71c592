package io.millrace.image.codec;

/** A decoder of PNGs of any kind. The native kernels decode those that are not interlaced, faster and to the same pixels. */
public final class PngPixels {
    private static final int GRAY = 0;
    private static final int RGB = 2;
    private static final int PALETTE = 3;
    private static final int GRAY_ALPHA = 4;

    private final ImageHeader header;
    private final int color;
    private final int step;
    private final byte[] palette;
    private final byte[] rgb;

    private PngPixels(CheckedImage image) throws MalformedImageException {
        HeaderBytes bytes = new HeaderBytes(image.encoded(), "PNG");
        header = image.header();
        color = PngHeader.color(bytes);
        step = header.channels() * header.bitDepth() / Byte.SIZE;
        palette = color == PALETTE ? PngStructure.palette(bytes) : new byte[0];
        rgb = new byte[Math.toIntExact(3 * header.pixels())];
    }

    static byte[] decode(CheckedImage image) throws MalformedImageException {
        PngPixels pixels = new PngPixels(image);
        PngRows.read(image, pixels::convert);
        return pixels.rgb;
    }

    /**
     * Decodes the samples of a PNG of one channel and at most 8 bits: indexes of the palette, or gray levels that are not scaled.
     *
     * @return one byte for each pixel, in HWC order
     */
    public static byte[] samples(CheckedImage image) throws MalformedImageException {
        int depth = image.header().bitDepth();
        int columns = image.width();
        byte[] samples = new byte[Math.toIntExact(image.header().pixels())];
        PngRows.read(image, (row, y, pass, width) -> {
            int to = y * columns + pass.left();
            for (int x = 0; x < width; x++, to += pass.across()) {
                samples[to] = (byte) sample(row, x, depth);
            }
        });
        return samples;
    }

    /**
     * Decodes the samples of a PNG of one channel and 16 bits.
     *
     * @return two bytes for each pixel, little-endian, in HWC order
     */
    public static byte[] wideSamples(CheckedImage image) throws MalformedImageException {
        int columns = image.width();
        byte[] samples = new byte[Math.toIntExact(2 * image.header().pixels())];
        PngRows.read(image, (row, y, pass, width) -> {
            int to = 2 * (y * columns + pass.left());
            for (int x = 0; x < width; x++, to += 2 * pass.across()) {
                samples[to] = row[2 * x + 1];
                samples[to + 1] = row[2 * x];
            }
        });
        return samples;
    }

    static int sample(byte[] row, int x, int depth) {
        if (depth == Byte.SIZE) {
            return row[x] & 255;
        }
        int bit = x * depth;
        return (row[bit >> 3] >> (Byte.SIZE - depth - (bit & 7))) & ((1 << depth) - 1);
    }

    private void convert(byte[] row, int y, PngRows.Pass pass, int width) {
        int to = 3 * (y * header.width() + pass.left());
        int across = 3 * pass.across();
        if (color == RGB && header.bitDepth() == Byte.SIZE && across == 3) {
            System.arraycopy(row, 0, rgb, to, 3 * width);
        } else if (color == PALETTE) {
            palette(row, to, across, width);
        } else if (color == GRAY || color == GRAY_ALPHA) {
            gray(row, to, across, width);
        } else {
            int sampleBytes = header.bitDepth() / Byte.SIZE;
            for (int x = 0, from = 0; x < width; x++, from += step, to += across) {
                rgb[to] = row[from];
                rgb[to + 1] = row[from + sampleBytes];
                rgb[to + 2] = row[from + 2 * sampleBytes];
            }
        }
    }

    private void palette(byte[] row, int to, int across, int width) {
        int depth = header.bitDepth();
        for (int x = 0; x < width; x++, to += across) {
            int from = 3 * sample(row, x, depth);
            rgb[to] = palette[from];
            rgb[to + 1] = palette[from + 1];
            rgb[to + 2] = palette[from + 2];
        }
    }

    /** Converts gray, with or without alpha. Gray of 16 bits is clipped; with alpha, it keeps the upper byte. */
    private void gray(byte[] row, int to, int across, int width) {
        int depth = header.bitDepth();
        if (depth < Byte.SIZE) {
            int scale = 255 / ((1 << depth) - 1);
            for (int x = 0; x < width; x++, to += across) {
                ConvertedPixels.gray(rgb, to, scale * sample(row, x, depth));
            }
        } else {
            boolean clipped = color == GRAY && depth > Byte.SIZE;
            for (int x = 0, from = 0; x < width; x++, from += step, to += across) {
                ConvertedPixels.gray(rgb, to, !clipped ? row[from] : row[from] != 0 ? 255 : row[from + 1]);
            }
        }
    }
}
