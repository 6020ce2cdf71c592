package io.millrace.image;

import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The formula that converts bytes to floats. With c as the place of a byte in its pixel:
 * <pre>
 * converted = fma(blue, rows[3c + 2], fma(green, rows[3c + 1], red * rows[3c])) + offset[c]   (or the byte itself)
 * result    = (converted / divisor - mean[c]) / deviation[c]
 * </pre>
 *
 * <p>The formula uses 32-bit floats and rounds after each operation, as separate operations would.
 *
 * @param channels the number of bytes of a pixel, 1 to {@link #MOST_CHANNELS}
 * @param rows the matrix row by row, 9 numbers, or empty
 * @param offset 3 numbers, or empty like {@code rows}
 * @param divisor the divisor, not 0; 1 changes nothing
 * @param mean one number for each channel; 0 changes nothing
 * @param deviation one number for each channel, not 0; 1 changes nothing
 */
public record FloatFormula(
        int channels, List<Float> rows, List<Float> offset, float divisor, List<Float> mean, List<Float> deviation) {
    /** The largest supported number of channels. */
    public static final int MOST_CHANNELS = 4;

    /** Checks the numbers and copies the lists. */
    public FloatFormula {
        if (channels < 1 || channels > MOST_CHANNELS) {
            throw new IllegalArgumentException("expected 1 to " + MOST_CHANNELS + " channels, found " + channels);
        }
        rows = List.copyOf(rows);
        offset = List.copyOf(offset);
        mean = List.copyOf(mean);
        deviation = List.copyOf(deviation);
        if (mean.size() != channels || deviation.size() != channels) {
            throw new IllegalArgumentException("expected means and deviations of " + channels + " channels, found "
                    + mean.size() + " and " + deviation.size());
        }
        if (!rows.isEmpty() && (channels != 3 || rows.size() != 9 || offset.size() != 3)) {
            throw new IllegalArgumentException("a matrix of " + rows.size() + " and an offset of " + offset.size()
                    + " numbers do not convert pixels of " + channels + " channels");
        }
    }

    /** Returns the formula that converts bytes to the same floats, 0 to 255. */
    public static FloatFormula plain(int channels) {
        List<Float> ones = Collections.nCopies(channels, 1f);
        return new FloatFormula(channels, List.of(), List.of(), 1, Collections.nCopies(channels, 0f), ones);
    }

    /** Returns this formula followed by a matrix; empty if the formula cannot express it. */
    public Optional<FloatFormula> converted(List<Float> matrix, List<Float> added) {
        return equals(plain(channels)) && channels == 3
                ? Optional.of(new FloatFormula(channels, matrix, added, divisor, mean, deviation))
                : Optional.empty();
    }

    /** Returns this formula followed by a division; empty if the formula cannot express it. */
    public Optional<FloatFormula> divided(float by) {
        return divisor == 1 && !standardizes()
                ? Optional.of(new FloatFormula(channels, rows, offset, by, mean, deviation))
                : Optional.empty();
    }

    /**
     * Returns this formula followed by the subtraction of a mean and the division by a deviation; empty if the formula
     * cannot express it.
     */
    public Optional<FloatFormula> standardized(List<Float> means, List<Float> deviations) {
        return means.size() == channels && !standardizes()
                ? Optional.of(new FloatFormula(channels, rows, offset, divisor, means, deviations))
                : Optional.empty();
    }

    /** Returns whether mean and deviation change anything. */
    boolean standardizes() {
        FloatFormula plain = plain(channels);
        return !mean.equals(plain.mean) || !deviation.equals(plain.deviation);
    }
}
