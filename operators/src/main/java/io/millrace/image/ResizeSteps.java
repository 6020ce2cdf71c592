package io.millrace.image;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The steps of a {@link Resampler} for images of one size, as tables for the device. With these tables the device
 * computes the same pixels. Stateless.
 */
public final class ResizeSteps {
    private ResizeSteps() {}

    /** The extent of an image [height, width, channels] that a step changes. */
    public enum Axis {
        /** The number of rows changes. */
        DOWN,
        /** The number of columns changes. */
        ACROSS
    }

    /** One step of resizing. */
    public sealed interface Step {}

    /**
     * One pass of a filter: output {@code x} is the sum over {@code t} of input {@code starts(x) + t} times
     * {@code weights(t)(x)}, rounded as {@code (2^21 + sum) >> 22} and clamped to 0 to 255. The sums fit into an
     * {@code int}.
     *
     * @param axis the extent that changes
     * @param starts the first input of each output; all taps are within the image
     * @param weights the weights by tap, then by output
     */
    public record Filter(Axis axis, List<Integer> starts, List<List<Integer>> weights) implements Step {
        /** Copies the lists. */
        public Filter {
            starts = List.copyOf(starts);
            weights = List.copyOf(weights);
        }
    }

    /**
     * A choice of pixels, whose values stay unchanged.
     *
     * @param rows the row of the image for each row of the result
     * @param columns the column of the image for each column of the result
     */
    public record Pick(List<Integer> rows, List<Integer> columns) implements Step {
        /** Copies the lists. */
        public Pick {
            rows = List.copyOf(rows);
            columns = List.copyOf(columns);
        }
    }

    /** Returns the steps from one size to another, in order. There are none if the size stays. */
    public static List<Step> of(Interpolation interpolation, int height, int width, int toHeight, int toWidth) {
        if (height == toHeight && width == toWidth) {
            return List.of();
        }
        if (interpolation == Interpolation.NEAREST) {
            return List.of(new Pick(
                    list(NearestResampling.sources(height, toHeight)),
                    list(NearestResampling.sources(width, toWidth))));
        }
        List<Step> steps = new ArrayList<>();
        if (width != toWidth) {
            steps.add(filter(Axis.ACROSS, ResampleTable.of(interpolation, width, toWidth)));
        }
        if (height != toHeight) {
            Step down = filter(Axis.DOWN, ResampleTable.of(interpolation, height, toHeight));
            boolean first = Resampler.shrinksDownFirst(Crop.whole(height, width), toHeight, toWidth);
            steps.add(first ? 0 : steps.size(), down);
        }
        return List.copyOf(steps);
    }

    private static Step filter(Axis axis, ResampleTable table) {
        List<List<Integer>> weights = new ArrayList<>();
        for (int t = 0; t < table.taps; t++) {
            List<Integer> tap = new ArrayList<>();
            for (int x = 0; x < table.out; x++) {
                tap.add(table.weights[x * table.taps + t]);
            }
            weights.add(List.copyOf(tap));
        }
        return new Filter(axis, list(table.start), weights);
    }

    private static List<Integer> list(int[] values) {
        return Arrays.stream(values).boxed().toList();
    }
}
