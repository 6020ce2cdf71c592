package io.millrace.transform;

import io.millrace.dataset.MalformedSampleException;
import io.millrace.image.Crop;
import io.millrace.image.Interpolation;
import io.millrace.image.Resampler;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Resizes the image: to an exact size, or its shorter edge, keeping the shape. */
final class Resize implements Cropping {
    private final ImageFields pictures = new ImageFields("Resize");
    private final Resampler nearest = new Resampler(Interpolation.NEAREST);
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
        ImageFields.Extent extent = pictures.extent(sample);
        Size.Exact target = target(size, maxSize, extent.height(), extent.width());
        if (!usable(target)) {
            throw ImageFields.malformed(
                    sample,
                    "Resize expected a picture whose edges come to 1 to " + Size.LARGEST + " pixels, found "
                            + extent.height() + "x" + extent.width() + ", which would become " + target.height() + "x"
                            + target.width());
        }
        Crop whole = Crop.whole(extent.height(), extent.width());
        pictures.changeCrop(sample, whole, (picture, crop, spare) -> {
            Resampler kind = picture.kind() == FieldKind.MASK ? nearest : resampler;
            return kind.resize(picture, crop, target.height(), target.width(), spare);
        });
    }

    /** The whole: what makes it worth telling is the size, as {@code decode: {reduced: true}} goes by it. */
    @Override
    public Optional<Taken> taken(int height, int width, SampleRandom random) {
        Size.Exact target = target(size, maxSize, height, width);
        return usable(target)
                ? Optional.of(new Taken(Crop.whole(height, width), target.height(), target.width()))
                : Optional.empty();
    }

    private static boolean usable(Size.Exact target) {
        return target.height() >= 1 && target.width() >= 1 && Math.max(target.height(), target.width()) <= Size.LARGEST;
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
