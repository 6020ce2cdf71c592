package io.millrace.transform;

import io.millrace.image.Interpolation;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.util.List;
import java.util.OptionalInt;

/** What {@code Resize} makes of a picture, by its size: the same wherever that is done. */
public final class ResizeRule {
    private static final Option<Size> SIZE =
            Option.of("size", Size.OPTION, "The shorter edge in pixels, or [height, width] whatever the shape was.");

    private static final Option<Integer> MAX_SIZE = Option.of(
                    "max_size",
                    OptionType.INTEGER.where(value -> value >= 1 && value <= Size.LARGEST, "1 to " + Size.LARGEST),
                    "The longest that the longer edge may become; only with an integer size.")
            .optional();

    /** What may be said about a resize. */
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

    /** Rows and columns after resizing; may be none, or too many. */
    public record Target(int height, int width) {
        /** Whether there can be such a picture. */
        public boolean usable() {
            return height >= 1 && width >= 1 && Math.max(height, width) <= Size.LARGEST;
        }
    }

    /**
     * As a pipeline file says.
     *
     * @throws IllegalArgumentException when the values do not go together
     */
    public static ResizeRule of(OptionValues options) {
        Size size = options.get(SIZE);
        OptionalInt maxSize = options.find(MAX_SIZE).map(OptionalInt::of).orElse(OptionalInt.empty());
        if (maxSize.isPresent()) {
            if (!(size instanceof Size.Edge edge)) {
                throw new IllegalArgumentException("max_size goes with an integer size, found size " + size);
            }
            if (maxSize.getAsInt() <= edge.pixels()) {
                throw new IllegalArgumentException("max_size must be greater than size, found max_size "
                        + maxSize.getAsInt() + " and size " + edge.pixels());
            }
        }
        return new ResizeRule(size, maxSize, options.get(ResampleOptions.INTERPOLATION));
    }

    /** How pixels of images are made up; those of masks are the nearest. */
    public Interpolation interpolation() {
        return interpolation;
    }

    /** The size after resizing, rounded as torchvision's {@code _compute_resized_output_size} does: towards 0. */
    public Target target(int height, int width) {
        Size.Exact target = target(size, maxSize, height, width);
        return new Target(target.height(), target.width());
    }

    /** Whether pictures of all sizes become one. */
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
