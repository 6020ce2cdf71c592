package io.millrace.image.codec;

/**
 * A conversion of blocks of YCbCr to RGB with the arithmetic of libtiff. A block is a pair of chroma samples, and the brightness
 * of up to 4x4 pixels before them.
 */
final class TiffYcbcr {
    private static final int SHIFT = 16;
    private static final int HALF = 1 << (SHIFT - 1);
    private static final float[] WEIGHTS = {0.299f, 0.587f, 0.114f};
    private static final float[] LEVELS = {0, 255, 128, 255, 128, 255};
    private static final float LARGEST = 128 * 32;

    private final int across;
    private final int down;
    private final int[] luma = new int[256];
    private final int[] redOfRed = new int[256];
    private final int[] greenOfRed = new int[256];
    private final int[] greenOfBlue = new int[256];
    private final int[] blueOfBlue = new int[256];

    TiffYcbcr(TiffDirectory tags, ImageHeader image) throws MalformedImageException {
        across = (int) (tags.has(TiffDirectory.CHROMA_SAMPLING) ? tags.value(TiffDirectory.CHROMA_SAMPLING, 0) : 2);
        down = (int) (tags.has(TiffDirectory.CHROMA_SAMPLING) ? tags.value(TiffDirectory.CHROMA_SAMPLING, 1) : 2);
        boolean known = across == 1 || across == 2 || across == 4;
        if (!known
                || !(down == 1 || down == 2 || down == 4)
                || down > Math.max(across, 2)
                || image.width() < across
                || image.height() < down) {
            throw new MalformedImageException(
                    4,
                    "corrupt TIFF: expected blocks of YCbCr that fit into " + image.width() + "x" + image.height()
                            + " pixels, found " + across + "x" + down);
        }
        float[] weights = new float[3];
        for (int i = 0; i < 3; i++) {
            weights[i] = tags.real(TiffDirectory.LUMA_WEIGHTS, i, WEIGHTS[i]);
        }
        float[] levels = new float[6];
        for (int i = 0; i < 6; i++) {
            levels[i] = tags.real(TiffDirectory.REFERENCE_LEVELS, i, LEVELS[i]);
        }
        fill(weights, levels);
    }

    private void fill(float[] weights, float[] levels) {
        float red = 2 - 2 * weights[0];
        float blue = 2 - 2 * weights[2];
        int first = fixed(red);
        int second = -fixed(weights[0] * red / weights[1]);
        int third = fixed(blue);
        int fourth = -fixed(weights[2] * blue / weights[1]);
        for (int i = 0; i < 256; i++) {
            int redChroma = value(i - 128, levels[4] - 128, levels[5] - 128, 127);
            int blueChroma = value(i - 128, levels[2] - 128, levels[3] - 128, 127);
            redOfRed[i] = (first * redChroma + HALF) >> SHIFT;
            blueOfBlue[i] = (third * blueChroma + HALF) >> SHIFT;
            greenOfRed[i] = second * redChroma;
            greenOfBlue[i] = fourth * blueChroma + HALF;
            luma[i] = value(i, levels[0], levels[1], 255);
        }
    }

    private static int fixed(float number) {
        float clamped = !(number >= 0) ? 0 : Math.min(number, 2);
        return (int) ((double) clamped * (1 << SHIFT) + 0.5);
    }

    private static int value(int code, float black, float white, int range) {
        float value = (float) (code - (int) black) * range / (white == black ? 1 : white - black);
        return (int) (!(value >= -LARGEST) ? -LARGEST : Math.min(value, LARGEST));
    }

    /** Returns the number of rows in a row of blocks. */
    int down() {
        return down;
    }

    /** Returns the number of bytes of a row of blocks. */
    long rowBytes(int width) {
        return ((long) width + across - 1) / across * ((long) across * down + 2);
    }

    /** Converts one of the rows of a row of blocks. */
    void row(byte[] blocks, int row, byte[] rgb, int columns) {
        for (int x = 0, to = 0; x < columns; x++, to += 3) {
            int block = x / across * (across * down + 2);
            int bright = luma[blocks[block + row * across + x % across] & 255];
            int blue = blocks[block + across * down] & 255;
            int red = blocks[block + across * down + 1] & 255;
            rgb[to] = (byte) ConvertedPixels.clipped(bright + redOfRed[red]);
            rgb[to + 1] = (byte) ConvertedPixels.clipped(bright + ((greenOfBlue[blue] + greenOfRed[red]) >> SHIFT));
            rgb[to + 2] = (byte) ConvertedPixels.clipped(bright + blueOfBlue[blue]);
        }
    }
}
