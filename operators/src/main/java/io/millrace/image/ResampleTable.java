package io.millrace.image;

import org.jspecify.annotations.Nullable;

/**
 * The weights of one axis: output {@code x} is the sum over {@code t < taps} of input {@code start[x] + t} times
 * {@code weights[x * taps + t] / 2^22}. Every output has the same number of taps, padded with weights of 0.
 *
 * <p>The arithmetic is that of Pillow's {@code precompute_coeffs} and {@code normalize_coeffs_8bpc}
 * (src/libImaging/Resample.c), in the same order of operations, so that the integers are equal.
 */
final class ResampleTable {
    /** The bits after the binary point: 32 less 8 for a byte and 2 for a sum that overshoots. */
    static final int FRACTION_BITS = 22;

    final int in;
    final int out;
    final int taps;
    final int[] start;
    final int[] weights;

    /** The table of the opposite order; null before it is needed for the first time. */
    private @Nullable ResampleTable mirrored;

    private ResampleTable(int in, int out, int taps, int[] start, int[] weights) {
        this.in = in;
        this.out = out;
        this.taps = taps;
        this.start = start;
        this.weights = weights;
    }

    /** Returns the table from {@code in} to {@code out} pixels. For equal sizes, the table copies the pixels. */
    static ResampleTable of(Interpolation filter, int in, int out) {
        return in == out ? copying(in) : filtering(filter, in, out);
    }

    /** Returns the table whose outputs are those of this table in the opposite order. */
    ResampleTable mirrored() {
        ResampleTable known = mirrored;
        if (known == null) {
            int[] starts = new int[out];
            int[] reversed = new int[weights.length];
            for (int x = 0; x < out; x++) {
                starts[out - 1 - x] = start[x];
                System.arraycopy(weights, x * taps, reversed, (out - 1 - x) * taps, taps);
            }
            known = new ResampleTable(in, out, taps, starts, reversed);
            mirrored = known;
        }
        return known;
    }

    private static ResampleTable copying(int size) {
        int[] start = new int[size];
        int[] weights = new int[size];
        for (int x = 0; x < size; x++) {
            start[x] = x;
            weights[x] = 1 << FRACTION_BITS;
        }
        return new ResampleTable(size, size, 1, start, weights);
    }

    private static ResampleTable filtering(Interpolation filter, int in, int out) {
        double scale = (double) in / out;
        double filterScale = Math.max(scale, 1);
        double support = filter.support() * filterScale;
        double inverse = 1.0 / filterScale;
        int taps = 1;
        for (int x = 0; x < out; x++) {
            double center = (x + 0.5) * scale;
            taps = Math.max(taps, end(center, support, in) - begin(center, support));
        }
        int[] start = new int[out];
        int[] weights = new int[Math.multiplyExact(out, taps)];
        double[] exact = new double[taps];
        for (int x = 0; x < out; x++) {
            double center = (x + 0.5) * scale;
            int begin = begin(center, support);
            int count = end(center, support, in) - begin;
            double sum = 0;
            for (int t = 0; t < count; t++) {
                exact[t] = filter.weight((t + begin - center + 0.5) * inverse);
                sum += exact[t];
            }
            // Near the right edge there are fewer than `taps` pixels. The taps begin earlier there, with weights of 0
            // in front.
            start[x] = Math.min(begin, in - taps);
            int first = x * taps + begin - start[x];
            for (int t = 0; t < count; t++) {
                weights[first + t] = fixedPoint(sum == 0 ? exact[t] : exact[t] / sum);
            }
        }
        return new ResampleTable(in, out, taps, start, weights);
    }

    private static int begin(double center, double support) {
        return Math.max((int) (center - support + 0.5), 0);
    }

    private static int end(double center, double support, int in) {
        return Math.min((int) (center + support + 0.5), in);
    }

    /** Rounds half away from zero. */
    private static int fixedPoint(double weight) {
        double scaled = weight * (1 << FRACTION_BITS);
        return weight < 0 ? (int) (-0.5 + scaled) : (int) (0.5 + scaled);
    }
}
