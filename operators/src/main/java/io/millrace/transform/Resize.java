package io.millrace.transform;

import io.millrace.dataset.MalformedSampleException;
import io.millrace.image.Resampler;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.OptionalInt;

/** Resizes the image: to an exact size, or its shorter edge, keeping the shape. */
final class Resize implements Transform {
    private final Size size;
    private final OptionalInt maxSize;
    private final Resampler resampler;

    private Resize(Size size, OptionalInt maxSize, Resampler resampler) {
        this.size = size;
        this.maxSize = maxSize;
        this.resampler = resampler;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws MalformedSampleException {
        Field image = Images.pixels(sample, "Resize");
        Size.Exact target = target(size, maxSize, image.height(), image.width());
        if (target.height() < 1 || target.width() < 1 || Math.max(target.height(), target.width()) > Size.LARGEST) {
            throw Images.malformed(
                    sample,
                    "Resize expected a picture whose edges come to 1 to " + Size.LARGEST + " pixels, found "
                            + image.height() + "x" + image.width() + ", which would become " + target.height() + "x"
                            + target.width());
        }
        sample.put(Sample.IMAGE, resampler.resize(image, target.height(), target.width()));
    }

    /** The size after resizing, rounded as torchvision's {@code _compute_resized_output_size} does: towards 0. */
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

    /** {@code Resize}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Size> SIZE = Option.of(
                "size", Size.OPTION, "The shorter edge in pixels, or [height, width] whatever the shape was.");

        private static final Option<Integer> MAX_SIZE = Option.of(
                        "max_size",
                        OptionType.INTEGER.where(value -> value >= 1 && value <= Size.LARGEST, "1 to " + Size.LARGEST),
                        "The longest that the longer edge may become; only with an integer size.")
                .optional();

        @Override
        public String name() {
            return "Resize";
        }

        @Override
        public String help() {
            return "Resizes to a shorter edge or to an exact size, with Pillow's pixels.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(SIZE, MAX_SIZE, ResampleOptions.INTERPOLATION, ResampleOptions.ANTIALIAS);
        }

        @Override
        public Transform create(OptionValues options) {
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
            return new Resize(size, maxSize, new Resampler(options.get(ResampleOptions.INTERPOLATION)));
        }
    }
}
