package io.millrace.image;

import static io.millrace.image.PixelVectors.LANES;
import static io.millrace.image.PixelVectors.PIXEL_BYTES;
import static io.millrace.image.PixelVectors.blue;
import static io.millrace.image.PixelVectors.floats;
import static io.millrace.image.PixelVectors.green;
import static io.millrace.image.PixelVectors.red;

import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Colour changes with vectors, a block of pixels after the other: as vectors reach beyond the pixels they hold, results
 * go to an array of their own, and the last block is read from one.
 */
final class VectorColorKernel implements ColorKernel {
    private static final int BLOCK = 512;

    /** Up to here sums stay small enough to be made whole numbers by {@link PixelVectors#floor}. */
    private static final float LARGEST_RATIO = 1 << 13;

    /** The last block, and zeros. */
    private final byte[] end = new byte[3 * BLOCK + PixelVectors.REACH];

    private final byte[] changed = new byte[end.length];
    private final ScalarColorKernel scalar = new ScalarColorKernel();
    private final VectorHue hue = new VectorHue(BLOCK);
    private long sum;

    @Override
    public void blend(byte[] pixels, float other, float ratio, float rest) {
        if (ratio > LARGEST_RATIO) {
            scalar.blend(pixels, other, ratio, rest);
            return;
        }
        int whole = pixels.length / LANES * LANES;
        VectorStep.run(count -> VectorBlend.blend(pixels, count, other, ratio, rest), whole);
        int left = pixels.length - whole;
        System.arraycopy(pixels, whole, end, 0, left);
        VectorStep.run(count -> VectorBlend.blend(end, count, other, ratio, rest), LANES);
        System.arraycopy(end, 0, pixels, whole, left);
    }

    @Override
    public long graySum(byte[] pixels) {
        sum = 0;
        read(pixels, (from, at, count) -> VectorStep.run(start -> sum += graySum(from, start, count), at));
        return sum;
    }

    private static int graySum(byte[] from, int at, int count) {
        IntVector sums = PixelVectors.ints(0);
        for (int i = 0; i < count; i += LANES, at += PIXEL_BYTES) {
            sums = sums.add(grayAt(from, at));
        }
        return sums.reduceLanes(VectorOperators.ADD);
    }

    @Override
    public void grayscale(byte[] pixels) {
        change(pixels, (from, at, count) -> VectorStep.run(start -> grayscale(from, start, count, changed), at));
    }

    private static void grayscale(byte[] from, int at, int count, byte[] to) {
        IntVector thrice = PixelVectors.ints(0x010101);
        for (int i = 0; i < count; i += LANES, at += PIXEL_BYTES) {
            PixelVectors.close(grayAt(from, at).mul(thrice), to, 3 * i);
        }
    }

    @Override
    public void gray(byte[] pixels, byte[] result) {
        int[] start = {0};
        read(pixels, (from, at, count) -> {
            VectorStep.run(begin -> gray(from, begin, count, changed), at);
            System.arraycopy(changed, 0, result, start[0], count);
            start[0] += count;
        });
    }

    private static void gray(byte[] from, int at, int count, byte[] to) {
        for (int i = 0; i < count; i += LANES, at += PIXEL_BYTES) {
            VectorBlend.store(grayAt(from, at), to, i);
        }
    }

    private static IntVector grayAt(byte[] from, int at) {
        IntVector pixels = PixelVectors.open(from, at);
        return PixelVectors.gray(floats(red(pixels)), floats(green(pixels)), floats(blue(pixels)));
    }

    @Override
    public void saturate(byte[] pixels, float ratio, float rest) {
        if (ratio > LARGEST_RATIO) {
            scalar.saturate(pixels, ratio, rest);
            return;
        }
        change(pixels, (from, at, count) -> {
            VectorStep.run(start -> grayscale(from, start, count, changed), at);
            VectorStep.run(start -> VectorBlend.blend(from, start, 3 * count, ratio, rest, changed), at);
        });
    }

    @Override
    public void turnHue(byte[] pixels, float turn) {
        change(pixels, (from, at, count) -> hue.turn(from, at, count, turn, changed));
    }

    /** What is done with the pixels of a block. */
    @FunctionalInterface
    private interface Block {
        /** Reads {@code count} pixels of {@code from} from byte {@code at} on, and some bytes more. */
        void at(byte[] from, int at, int count);
    }

    /** Has blocks read, one after the other. */
    private void read(byte[] pixels, Block block) {
        for (int at = 0; at < pixels.length; at += 3 * BLOCK) {
            runBlock(pixels, at, block);
        }
    }

    /** Has blocks read, and what was then written to {@link #changed} in their place. */
    private void change(byte[] pixels, Block block) {
        for (int at = 0; at < pixels.length; at += 3 * BLOCK) {
            int count = runBlock(pixels, at, block);
            System.arraycopy(changed, 0, pixels, at, 3 * count);
        }
    }

    private int runBlock(byte[] pixels, int at, Block block) {
        int bytes = Math.min(pixels.length - at, 3 * BLOCK);
        int count = bytes / 3;
        if (at + bytes + PixelVectors.REACH <= pixels.length) {
            block.at(pixels, at, count);
        } else {
            System.arraycopy(pixels, at, end, 0, bytes);
            java.util.Arrays.fill(end, bytes, end.length, (byte) 0);
            block.at(end, 0, count);
        }
        return count;
    }
}
