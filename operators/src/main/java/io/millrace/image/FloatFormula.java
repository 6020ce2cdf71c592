package io.millrace.image;

import java.util.List;

/**
 * The formula that converts numbers to floats: steps, one after the other.
 *
 * @param channels the number of values of a pixel, at least 1
 * @param steps the steps, in order; none leave the numbers unchanged
 */
public record FloatFormula(int channels, List<FloatStep> steps) {
    /**
     * Checks that the steps fit the pixels, and copies the list.
     *
     * @throws IllegalArgumentException when they do not
     */
    public FloatFormula {
        if (channels < 1) {
            throw new IllegalArgumentException("expected at least 1 channel, found " + channels);
        }
        steps = List.copyOf(steps);
        for (FloatStep step : steps) {
            step.obstacle(channels).ifPresent(obstacle -> {
                throw new IllegalArgumentException(obstacle);
            });
        }
    }

    /** Returns the formula for rows of a shape: its last extent is the number of channels, if the steps tell channels apart. */
    public static FloatFormula of(List<Integer> shape, List<FloatStep> steps) {
        boolean uniform = shape.isEmpty() || steps.stream().allMatch(FloatStep::uniform);
        return new FloatFormula(uniform ? 1 : shape.get(shape.size() - 1), steps);
    }

    /** Returns whether a matrix mixes channels. */
    boolean mixes() {
        return steps.stream().anyMatch(FloatStep::mixes);
    }
}
