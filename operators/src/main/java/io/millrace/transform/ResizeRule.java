package io.millrace.transform;

import io.millrace.image.Interpolation;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.util.List;
import java.util.OptionalInt;

/**
 * The rule by which {@code Resize} computes the size of its result. It is the same on the data servers and on the
 * device.
 */
public final class ResizeRule {
    private static final Option<Size> SIZE =
            Option.of("size", Size.OPTION, "The shorter edge in pixels, or [height, width] for any shape.");

    private static final Option<Integer> MAX_SIZE = Option.of(
                    "max_size",
                    OptionType.INTEGER.where(value -> value >= 1 && value <= Size.LARGEST, "1 to " + Size.LARGEST),
                    "The limit of the longer edge in pixels; only with an integer size.")
            .optional();

    /** The options of a resize. */
    public static final List<Option<?>> OPTIONS =
            List.of(SIZE, MAX_SIZE, ResampleOptions.INTERPOLATION, ResampleOptions.ANTIALIAS);

    private final Size size;
    private final OptionalInt maxSize;
    private final Interpolation interpolation;

    private ResizeRule(Size size, OptionalInt maxSize, Interpolation interpolation) {
        this.size = size;
        this.maxSize = maxSize;
        this.interpolation = interpolation;
    }

    /**
     * The size after resizing. It may be empty or too large.
     *
     * @param height the rows
     * @param width the columns
     */
    public record Target(int height, int width) {
        /** Returns whether a picture can have this size. */
        public boolean usable() {
            return height >= 1 && width >= 1 && Math.max(height, width) <= Size.LARGEST;
        }
    }

    /**
     * Returns the rule with the options of a pipeline file.
     *
     * @throws IllegalArgumentException when the values contradict each other
     */
    public static ResizeRule of(OptionValues options) {
        Size size = options.get(SIZE);
        OptionalInt maxSize = options.find(MAX_SIZE).map(OptionalInt::of).orElse(OptionalInt.empty());
        if (maxSize.isPresent()) {
            if (!(size instanceof Size.Edge edge)) {
                throw new IllegalArgumentException("max_size requires an integer size, found size " + size);
            }
            if (maxSize.getAsInt() <= edge.pixels()) {
                throw new IllegalArgumentException("max_size must be greater than size, found max_size "
                        + maxSize.getAsInt() + " and size " + edge.pixels());
            }
        }
        return new ResizeRule(size, maxSize, options.get(ResampleOptions.INTERPOLATION));
    }

    /** Returns the interpolation of images. Masks use the nearest pixel. */
    public Interpolation interpolation() {
        return interpolation;
    }

    /** Returns the size after resizing, truncated as torchvision's {@code _compute_resized_output_size} does. */
    public Target target(int height, int width) {
        Size.Exact target = target(size, maxSize, height, width);
        return new Target(target.height(), target.width());
    }

    /** Returns whether pictures of all sizes become one size. */
    public boolean oneSize() {
        return size instanceof Size.Exact;
    }

    static Size.Exact target(Size size, OptionalInt maxSize, int height, int width) {
        if (size instanceof Size.Exact exact) {
            return exact;
        }
        long longer = Math.max(height, width);
        int shortEdge = size.square().height();
        int longEdge = (int) (shortEdge * longer / (double) Math.min(height, width));
        if (maxSize.isPresent() && longEdge > maxSize.getAsInt()) {
            shortEdge = (int) ((long) maxSize.getAsInt() * shortEdge / (double) longEdge);
            longEdge = maxSize.getAsInt();
        }
        return width <= height ? new Size.Exact(longEdge, shortEdge) : new Size.Exact(shortEdge, longEdge);
    }
}
