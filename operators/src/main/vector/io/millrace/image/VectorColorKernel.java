package io.millrace.image;

import static io.millrace.image.PixelVectors.LANES;

import java.util.Arrays;

/**
 * The colour changes with vectors, one block of pixels after the other. A vector reaches beyond the pixels that it
 * computes. Therefore the results go to a separate array, and the last block is copied to an array with space after it.
 */
final class VectorColorKernel implements ColorKernel {
    private static final int BLOCK = 512;

    /** Up to this ratio, sums are small enough for {@link PixelVectors#floor}. */
    private static final float LARGEST_RATIO = 1 << 13;

    /** The pixels of the last block, followed by zeros. */
    private final byte[] end = new byte[3 * BLOCK + PixelVectors.REACH];

    private final byte[] changed = new byte[end.length];
    private final ScalarColorKernel scalar = new ScalarColorKernel();
    private final VectorHue hue = new VectorHue(BLOCK);

    // The operands of the steps. They are fields, because creating the steps for each call would produce more garbage
    // than everything else.
    private byte[] source = end;
    private int pixels;
    private int bytes;
    private float other;
    private float ratio;
    private float rest;
    private long sum;
    private final VectorStep blendBytes = start -> VectorBlend.blend(source, bytes, other, ratio, rest);
    private final VectorStep blendGray = at -> VectorBlend.blend(source, at, 3 * pixels, ratio, rest, changed);
    private final VectorStep addGray = at -> sum += VectorGray.sum(source, at, pixels);
    private final VectorStep writeGray = at -> VectorGray.write(source, at, pixels, changed);
    private final VectorStep writeGrayThrice = at -> VectorGray.writeThrice(source, at, pixels, changed);

    @Override
    public void blend(byte[] values, float with, float share, float remainder) {
        if (share > LARGEST_RATIO) {
            scalar.blend(values, with, share, remainder);
            return;
        }
        other = with;
        ratio = share;
        rest = remainder;
        source = values;
        bytes = values.length / LANES * LANES;
        VectorStep.run(blendBytes, 0);
        int left = values.length - bytes;
        System.arraycopy(values, bytes, end, 0, left);
        source = end;
        bytes = LANES;
        VectorStep.run(blendBytes, 0);
        System.arraycopy(end, 0, values, values.length - left, left);
    }

    @Override
    public long graySum(byte[] image) {
        sum = 0;
        for (int at = 0; at < image.length; at += 3 * BLOCK) {
            VectorStep.run(addGray, open(image, at));
        }
        return sum;
    }

    @Override
    public void grayscale(byte[] image) {
        for (int at = 0; at < image.length; at += 3 * BLOCK) {
            VectorStep.run(writeGrayThrice, open(image, at));
            System.arraycopy(changed, 0, image, at, 3 * pixels);
        }
    }

    @Override
    public void gray(byte[] image, byte[] result) {
        for (int at = 0; at < image.length; at += 3 * BLOCK) {
            VectorStep.run(writeGray, open(image, at));
            System.arraycopy(changed, 0, result, at / 3, pixels);
        }
    }

    @Override
    public void saturate(byte[] image, float share, float remainder) {
        if (share > LARGEST_RATIO) {
            scalar.saturate(image, share, remainder);
            return;
        }
        ratio = share;
        rest = remainder;
        for (int at = 0; at < image.length; at += 3 * BLOCK) {
            int start = open(image, at);
            VectorStep.run(writeGrayThrice, start);
            VectorStep.run(blendGray, start);
            System.arraycopy(changed, 0, image, at, 3 * pixels);
        }
    }

    @Override
    public void turnHue(byte[] image, float turn) {
        for (int at = 0; at < image.length; at += 3 * BLOCK) {
            int start = open(image, at);
            hue.turn(source, start, pixels, turn, changed);
            System.arraycopy(changed, 0, image, at, 3 * pixels);
        }
    }

    /**
     * Chooses the block that begins at byte {@code at}.
     *
     * @return the index of the block in {@link #source}; it has {@link #pixels} pixels, and bytes after them that
     *     vectors may read
     */
    private int open(byte[] image, int at) {
        int count = Math.min(image.length - at, 3 * BLOCK);
        pixels = count / 3;
        if (at + count + PixelVectors.REACH <= image.length) {
            source = image;
            return at;
        }
        System.arraycopy(image, at, end, 0, count);
        Arrays.fill(end, count, end.length, (byte) 0);
        source = end;
        return 0;
    }
}
