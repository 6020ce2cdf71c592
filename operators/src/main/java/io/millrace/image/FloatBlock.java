package io.millrace.image;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a {@link FloatFormula}, prepared for blocks of floats: the numbers of each channel are repeated over a block, so
 * that the compiler can turn each operation into a loop over vectors. Immutable.
 *
 * <p>Tested by {@code FloatPixelsTest}.
 */
final class FloatBlock {
    /** The floats of a block, if the pixels are not longer: whole pixels for 1 to 4 channels, which stay in a first-level cache. */
    private static final int FLOATS = 1536;

    private final int length;
    private final List<Numbers> steps;

    /** The numbers of a step, repeated over a block; null where they change nothing. */
    private static final class Numbers {
        private final float @Nullable [] matrix;
        private final float @Nullable [] mean;
        private final float @Nullable [] std;

        Numbers(FloatStep step, int channels, int length) {
            matrix = step.mixes() ? Floats.of(step.matrix()) : null;
            mean = step.subtracts() ? repeated(step.mean(), channels, length) : null;
            std = step.divides() ? repeated(step.std(), channels, length) : null;
        }

        private static float[] repeated(List<Float> numbers, int channels, int length) {
            float[] repeated = new float[length];
            for (int i = 0; i < length; i++) {
                repeated[i] = numbers.get(numbers.size() == 1 ? 0 : i % channels);
            }
            return repeated;
        }
    }

    FloatBlock(FloatFormula formula) {
        int channels = formula.channels();
        length = length(channels);
        steps = formula.steps().stream()
                .map(step -> new Numbers(step, channels, length))
                .toList();
    }

    /** Returns the number of floats of a block of whole pixels. */
    static int length(int channels) {
        return channels * Math.max(1, FLOATS / channels);
    }

    /**
     * Changes floats in place.
     *
     * @param count the number of floats, whole pixels, at most one block
     */
    void change(float[] floats, int count) {
        for (Numbers step : steps) {
            if (step.matrix != null) {
                mix(floats, count, step.matrix);
            }
            if (step.mean != null) {
                subtract(floats, count, step.mean);
            }
            if (step.std != null) {
                divide(floats, count, step.std);
            }
        }
    }

    private static void mix(float[] floats, int count, float[] matrix) {
        for (int at = 0; at < count; at += 3) {
            float red = floats[at];
            float green = floats[at + 1];
            float blue = floats[at + 2];
            for (int to = 0; to < 3; to++) {
                floats[at + to] =
                        Math.fma(blue, matrix[3 * to + 2], Math.fma(green, matrix[3 * to + 1], red * matrix[3 * to]));
            }
        }
    }

    private static void subtract(float[] floats, int count, float[] numbers) {
        for (int i = 0; i < count; i++) {
            floats[i] -= numbers[i];
        }
    }

    private static void divide(float[] floats, int count, float[] numbers) {
        for (int i = 0; i < count; i++) {
            floats[i] /= numbers[i];
        }
    }
}
