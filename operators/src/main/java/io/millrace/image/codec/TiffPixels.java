package io.millrace.image.codec;

import java.awt.image.Raster;

/**
 * A decoder of TIFFs that converts samples like Pillow: 16-bit gray and floats are clipped, and 16-bit colour keeps its upper
 * byte.
 */
final class TiffPixels {
    private static final int MOST = 0xffff;

    private final ImageHeader header;
    private final int channels;
    private final boolean deep;
    private final boolean inverted;
    private final boolean differenced;
    private final boolean premultiplied;
    private final Raster raster;

    private TiffPixels(CheckedImage image, TiffDirectory tags) throws MalformedImageException {
        header = image.header();
        channels = header.channels();
        deep = header.bitDepth() == 16;
        // When white is zero, the JDK inverts gray of any depth, but Pillow inverts only gray of 8 bits.
        inverted = deep && channels == 1 && tags.first(TiffDirectory.PHOTOMETRIC, 0) == 0;
        // The JDK decodes differences only for samples of 8 bits.
        differenced = deep && TiffHeader.differenced(tags);
        premultiplied = channels == 4
                && !header.cmyk()
                && tags.first(TiffDirectory.EXTRA_SAMPLES, 0) == TiffHeader.PREMULTIPLIED;
        byte[] encoded = differenced ? tags.with(TiffDirectory.PREDICTOR, 1, image.encoded()) : image.encoded();
        raster = StoredSamples.read("tiff", image, encoded).getRaster();
        if (raster.getNumBands() != channels) {
            throw new MalformedImageException(
                    -1, "corrupt TIFF: expected " + channels + " samples per pixel, found " + raster.getNumBands());
        }
    }

    static byte[] decode(CheckedImage image) throws MalformedImageException {
        TiffDirectory tags = new TiffDirectory(new HeaderBytes(image.encoded(), "TIFF"));
        TiffPixels pixels = new TiffPixels(image, tags);
        byte[] rgb = new byte[Math.toIntExact(3 * pixels.header.pixels())];
        int[] row = new int[pixels.channels * pixels.header.width()];
        for (int y = 0, to = 0; y < pixels.header.height(); y++) {
            pixels.read(y, row);
            to = pixels.channels <= 2 ? pixels.gray(row, rgb, to) : pixels.colors(row, rgb, to);
        }
        return rgb;
    }

    /** Reads a row of samples. Floats lose their fraction, as in Pillow. */
    private void read(int y, int[] row) {
        raster.getPixels(0, y, header.width(), 1, row);
        if (inverted) {
            for (int i = 0; i < row.length; i++) {
                row[i] = MOST - row[i];
            }
        }
        if (differenced) {
            for (int i = channels; i < row.length; i++) {
                row[i] = (row[i] + row[i - channels]) & MOST;
            }
        }
    }

    private int gray(int[] row, byte[] rgb, int begin) {
        int to = begin;
        for (int at = 0; at < row.length; at += channels) {
            to = ConvertedPixels.gray(rgb, to, ConvertedPixels.clipped(row[at]));
        }
        return to;
    }

    private int colors(int[] row, byte[] rgb, int begin) {
        int shift = deep ? Byte.SIZE : 0;
        int to = begin;
        for (int at = 0; at < row.length; at += channels) {
            int first = row[at] >> shift;
            int second = row[at + 1] >> shift;
            int third = row[at + 2] >> shift;
            if (header.cmyk()) {
                to = ConvertedPixels.inks(rgb, to, first, second, third, row[at + 3] >> shift);
            } else {
                int alpha = premultiplied ? row[at + 3] : 255;
                rgb[to++] = (byte) withoutAlpha(first, alpha);
                rgb[to++] = (byte) withoutAlpha(second, alpha);
                rgb[to++] = (byte) withoutAlpha(third, alpha);
            }
        }
        return to;
    }

    /** Returns the colour before it was multiplied by alpha. */
    private static int withoutAlpha(int level, int alpha) {
        return alpha == 0 || alpha == 255 ? level : ConvertedPixels.clipped(255 * level / alpha);
    }
}
