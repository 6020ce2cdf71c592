package io.millrace.generate.photos;

import io.millrace.generate.GeneratorRandom;
import java.util.Arrays;

/**
 * Fractal value noise: the sum of octaves, each a smoothly interpolated lattice of random numbers.
 *
 * <p>An octave costs about a nanosecond per pixel, less than an inverse Fourier transform. An object is for one image
 * size and not thread-safe.
 */
final class Noise {
    /** The strength below which an octave is invisible in 8 bits. */
    private static final double FAINTEST = 0.01;

    /** The deviation of one interpolated octave of uniform numbers in [-1, 1). */
    private static final double OCTAVE_DEVIATION = 0.4;

    private final int width;
    private final int height;
    private final int[] cell;
    private final float[] share;
    private final float[] blended;
    private float[] above;
    private float[] below;
    private long state;

    Noise(int width, int height) {
        this.width = width;
        this.height = height;
        this.cell = new int[width];
        this.share = new float[width];
        this.blended = new float[width + 3];
        this.above = new float[width + 3];
        this.below = new float[width + 3];
    }

    /** Fills a plane, row by row from the top, with noise of mean 0 and a deviation of about 1. */
    void fill(float[] plane, Spectrum spectrum, GeneratorRandom random) {
        Arrays.fill(plane, 0);
        double power = 0;
        for (double amplitude = 1; amplitude > FAINTEST; amplitude *= spectrum.gain()) {
            power += amplitude * amplitude;
        }
        double amplitude = 1 / (OCTAVE_DEVIATION * Math.sqrt(power));
        double faintest = amplitude * FAINTEST;
        double cellWidth = spectrum.width();
        double cellHeight = spectrum.height();
        while (amplitude > faintest) {
            boolean finest = cellWidth <= 1 && cellHeight <= 1;
            add(plane, Math.max(1, cellWidth), Math.max(1, cellHeight), (float) amplitude, random);
            if (finest) {
                break;
            }
            amplitude *= spectrum.gain();
            cellWidth /= 2;
            cellHeight /= 2;
        }
    }

    private void add(float[] plane, double cellWidth, double cellHeight, float amplitude, GeneratorRandom random) {
        double startX = random.uniform(0, 1);
        double startY = random.uniform(0, 1);
        state = random.nextLong() | 1;
        for (int x = 0; x < width; x++) {
            double at = startX + x / cellWidth;
            cell[x] = (int) at;
            share[x] = smooth((float) (at - cell[x]));
        }
        int points = cell[width - 1] + 2;
        draw(above, points);
        draw(below, points);
        int row = 0;
        for (int y = 0; y < height; y++) {
            double at = startY + y / cellHeight;
            while (row < (int) at) {
                float[] spare = above;
                above = below;
                below = spare;
                draw(below, points);
                row++;
            }
            float down = smooth((float) (at - row));
            for (int i = 0; i < points; i++) {
                blended[i] = amplitude * (above[i] + down * (below[i] - above[i]));
            }
            int start = y * width;
            for (int x = 0; x < width; x++) {
                float left = blended[cell[x]];
                plane[start + x] += left + share[x] * (blended[cell[x] + 1] - left);
            }
        }
    }

    /** Fills the lattice from 32 bits each of a xorshift sequence (Marsaglia 2003), which takes a fifth of an image's time. */
    private void draw(float[] lattice, int points) {
        long bits = state;
        for (int i = 0; i < points; i++) {
            bits ^= bits << 13;
            bits ^= bits >>> 7;
            bits ^= bits << 17;
            lattice[i] = (int) (bits >>> 32) * 0x1p-31f;
        }
        state = bits;
    }

    private static float smooth(float t) {
        return t * t * (3 - 2 * t);
    }
}
