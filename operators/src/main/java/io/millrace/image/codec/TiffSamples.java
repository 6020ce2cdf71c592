package io.millrace.image.codec;

/**
 * A conversion of rows of samples to RGB, like Pillow's: gray of 16 bits and floats are clipped, and colour of 16 bits keeps its
 * upper byte.
 *
 * <p>Tested by {@code ImageDecoderTest}.
 */
final class TiffSamples {
    private static final int GRAY_SCALE = 255;

    private final TiffHeader header;
    private final byte[] rgb;
    private final int imageWidth;
    /** Whether a pixel has several samples of colour; otherwise it is an index or a gray level. */
    private final boolean colored;

    private final int channels;
    private final int sampleBytes;
    /** The index of the upper byte in a sample. */
    private final int upper;
    /** The colours of an index, if the samples are indexes or gray levels of up to 8 bits. */
    private final byte[] colors;
    /** The plane of black ink or alpha, if the planes are stored separately and it is needed. */
    private final byte[] fourth;

    TiffSamples(TiffHeader header, ImageHeader image, byte[] rgb) throws MalformedImageException {
        this.header = header;
        this.rgb = rgb;
        this.imageWidth = image.width();
        this.channels = header.together();
        this.colored = header.photometric == TiffHeader.RGB
                || header.photometric == TiffHeader.SEPARATED
                || header.photometric == TiffHeader.YCBCR;
        this.sampleBytes = header.depth / Byte.SIZE;
        this.upper = header.tags.little() ? sampleBytes - 1 : 0;
        this.colors = header.photometric == TiffHeader.PALETTE ? palette(header.tags) : grays(header);
        boolean needed = header.photometric == TiffHeader.SEPARATED || header.premultiplied();
        this.fourth = new byte[header.separate && needed ? Math.toIntExact(image.pixels()) : 0];
    }

    /** Returns Pillow's palette, which has the gray level of an index that is not in the file's palette. */
    private static byte[] palette(TiffDirectory tags) throws MalformedImageException {
        byte[] palette = IndexPalette.gray();
        int count = (int) Math.min(tags.count(TiffDirectory.PALETTE) / 3, 257);
        if (count < 1 || count > 256) {
            throw new MalformedImageException(
                    4, "corrupt TIFF: expected a palette of 1 to 256 colours, found " + count);
        }
        for (int i = 0; i < 3 * count; i++) {
            palette[3 * (i % count) + i / count] = (byte) (tags.value(TiffDirectory.PALETTE, i) >> Byte.SIZE);
        }
        return palette;
    }

    private static byte[] grays(TiffHeader header) {
        byte[] grays = IndexPalette.gray();
        if (header.depth > Byte.SIZE) {
            return grays;
        }
        int most = (1 << header.depth) - 1;
        for (int i = 0; i <= most; i++) {
            int level = GRAY_SCALE * i / most;
            ConvertedPixels.gray(
                    grays, 3 * i, header.photometric == TiffHeader.WHITE_IS_ZERO ? GRAY_SCALE - level : level);
        }
        return grays;
    }

    /** Converts the first {@code columns} pixels of a row, and writes them to a place in the image. */
    void put(byte[] row, int plane, int y, int x, int columns) {
        int pixel = y * imageWidth + x;
        if (!colored) {
            if (plane == 0) {
                indexes(row, 3 * pixel, columns);
            }
        } else if (header.separate) {
            plane(row, plane, pixel, columns);
        } else {
            colors(row, 3 * pixel, columns);
        }
    }

    private void indexes(byte[] row, int begin, int columns) {
        int to = begin;
        if (header.depth == Byte.SIZE) {
            for (int at = 0; at < columns * channels; at += channels, to += 3) {
                int from = 3 * (row[at] & 255);
                rgb[to] = colors[from];
                rgb[to + 1] = colors[from + 1];
                rgb[to + 2] = colors[from + 2];
            }
            return;
        }
        for (int i = 0; i < columns; i++) {
            if (header.isFloat()) {
                to = ConvertedPixels.gray(
                        rgb, to, ConvertedPixels.clipped((int) Float.intBitsToFloat(word(row, 4 * i))));
            } else if (header.depth == 16) {
                int level = row[2 * i + upper] == 0 ? row[2 * i + 1 - upper] & 255 : GRAY_SCALE;
                to = ConvertedPixels.gray(rgb, to, level);
            } else {
                int bit = i * header.depth;
                int index = row[bit >> 3] >> (8 - (bit & 7) - header.depth) & ((1 << header.depth) - 1);
                rgb[to++] = colors[3 * index];
                rgb[to++] = colors[3 * index + 1];
                rgb[to++] = colors[3 * index + 2];
            }
        }
    }

    private int word(byte[] row, int at) {
        int word = 0;
        for (int i = 0; i < 4; i++) {
            word = word << 8 | (row[header.tags.little() ? at + 3 - i : at + i] & 255);
        }
        return word;
    }

    private void colors(byte[] row, int begin, int columns) {
        int to = begin;
        int step = channels * sampleBytes;
        if (step == 3) {
            System.arraycopy(row, 0, rgb, to, 3 * columns);
            return;
        }
        boolean inks = header.photometric == TiffHeader.SEPARATED;
        boolean premultiplied = header.premultiplied();
        for (int at = upper; at < columns * step; at += step) {
            byte first = row[at];
            byte second = row[at + sampleBytes];
            byte third = row[at + 2 * sampleBytes];
            if (inks) {
                to = ConvertedPixels.inks(
                        rgb, to, first & 255, second & 255, third & 255, row[at + 3 * sampleBytes] & 255);
            } else {
                rgb[to] = first;
                rgb[to + 1] = second;
                rgb[to + 2] = third;
                if (premultiplied) {
                    divide(to, row[at + 3 * sampleBytes] & 255);
                }
                to += 3;
            }
        }
    }

    private void plane(byte[] row, int plane, int pixel, int columns) {
        for (int i = 0; i < columns; i++) {
            byte level = row[i * sampleBytes + upper];
            if (plane < 3) {
                rgb[3 * (pixel + i) + plane] = level;
            } else if (fourth.length > 0) {
                fourth[pixel + i] = level;
            }
        }
    }

    /** Completes the image after all rows of all planes. */
    void finish() {
        for (int i = 0; i < fourth.length; i++) {
            int at = 3 * i;
            if (header.premultiplied()) {
                divide(at, fourth[i] & 255);
            } else {
                ConvertedPixels.inks(rgb, at, rgb[at] & 255, rgb[at + 1] & 255, rgb[at + 2] & 255, fourth[i] & 255);
            }
        }
    }

    /** Restores a colour that was multiplied by alpha. */
    private void divide(int at, int alpha) {
        for (int i = at; i < at + 3; i++) {
            rgb[i] = (byte) (alpha == 0 ? 0 : ConvertedPixels.clipped(255 * (rgb[i] & 255) / alpha));
        }
    }
}
