package io.millrace.image;

import java.util.List;
import java.util.Optional;

/**
 * A step of the arithmetic of floats. It mixes the channels of each pixel, subtracts and divides. For channel c of a pixel x:
 * <pre>
 * mixed  = fma(x[2], matrix[3c + 2], fma(x[1], matrix[3c + 1], x[0] * matrix[3c]))   (without a matrix: x[c])
 * result = (mixed - mean[c]) / std[c]
 * </pre>
 *
 * <p>It uses 32-bit floats and rounds after each operation, as separate operations would.
 *
 * @param matrix the matrix row by row, 9 numbers, or empty
 * @param mean one number for all channels, or one for each; 0 changes nothing
 * @param std one number for all channels, or one for each, not 0; 1 changes nothing
 */
public record FloatStep(List<Float> matrix, List<Float> mean, List<Float> std) {
    /** The number of channels that a matrix mixes. */
    public static final int MIXED = 3;

    /**
     * Checks the numbers and copies the lists.
     *
     * @throws IllegalArgumentException when they do not belong together
     */
    public FloatStep {
        matrix = List.copyOf(matrix);
        mean = List.copyOf(mean);
        std = List.copyOf(std);
        if (!matrix.isEmpty() && matrix.size() != MIXED * MIXED) {
            throw new IllegalArgumentException("the matrix has " + matrix.size() + " numbers, expected 9");
        }
        if (mean.isEmpty() || std.isEmpty()) {
            throw new IllegalArgumentException(
                    "'mean' has " + mean.size() + " numbers and 'std' " + std.size() + ", expected at least 1");
        }
        if (!finite(matrix) || !finite(mean) || !finite(std) || std.contains(0f) || std.contains(-0f)) {
            throw new IllegalArgumentException("expected finite numbers and divisors other than 0, found the matrix "
                    + matrix + ", 'mean' " + mean + " and 'std' " + std);
        }
        if (mean.size() != std.size() && mean.size() != 1 && std.size() != 1) {
            throw new IllegalArgumentException("'mean' has " + mean.size() + " numbers and 'std' " + std.size()
                    + ", expected 1 or one for each channel");
        }
    }

    /** Returns a division of all channels by a number. */
    public static FloatStep divide(double by) {
        return new FloatStep(List.of(), List.of(0f), List.of((float) by));
    }

    /** Returns a subtraction of means, followed by a division by deviations: one number for all channels, or one for each. */
    public static FloatStep standardize(List<Double> means, List<Double> deviations) {
        return new FloatStep(List.of(), floats(means), floats(deviations));
    }

    /** Returns a multiplication of each pixel's three channels by a matrix, row by row, and an addition of an offset. */
    public static FloatStep mix(List<Float> matrix, List<Float> offset) {
        // A subtraction of the opposite number has the result of an addition, also for zeros.
        return new FloatStep(matrix, offset.stream().map(number -> -number).toList(), List.of(1f));
    }

    private static boolean finite(List<Float> numbers) {
        return numbers.stream().allMatch(Float::isFinite);
    }

    private static List<Float> floats(List<Double> numbers) {
        return numbers.stream().map(Double::floatValue).toList();
    }

    /** Returns the obstacle to pixels of {@code channels} channels; empty when the step fits them. */
    public Optional<String> obstacle(int channels) {
        if (mixes() && channels != MIXED) {
            return Optional.of("the matrix needs pixels of 3 channels, found " + channels);
        }
        return obstacle("mean", mean, channels).or(() -> obstacle("std", std, channels));
    }

    private static Optional<String> obstacle(String key, List<Float> numbers, int channels) {
        return numbers.size() == 1 || numbers.size() == channels
                ? Optional.empty()
                : Optional.of("'" + key + "' has " + numbers.size() + " numbers, expected 1 or one for each of the "
                        + channels + " channels");
    }

    /** Returns whether the step treats all channels alike. */
    boolean uniform() {
        return !mixes() && mean.size() == 1 && std.size() == 1;
    }

    /** Returns whether the step has a matrix. */
    public boolean mixes() {
        return !matrix.isEmpty();
    }

    /** Returns whether the subtraction changes anything. After a matrix, it also makes zeros positive. */
    public boolean subtracts() {
        return mixes() || mean.stream().anyMatch(number -> number != 0);
    }

    /** Returns whether the division changes anything. */
    public boolean divides() {
        return std.stream().anyMatch(number -> number != 1);
    }

    /** Returns the number that is subtracted from a channel. */
    public float mean(int channel) {
        return mean.get(mean.size() == 1 ? 0 : channel);
    }

    /** Returns the number by which a channel is divided. */
    public float std(int channel) {
        return std.get(std.size() == 1 ? 0 : channel);
    }
}
