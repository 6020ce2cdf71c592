package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ColumnOrder;
import io.millrace.image.Crop;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import io.millrace.sample.StageDone;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A transform that cuts out a rectangle of random area and shape and resizes it. Like torchvision, it tries ten
 * rectangles and then uses a central one.
 */
final class RandomResizedCrop implements Cropping {
    private static final int TRIES = 10;

    private final Size.Exact size;
    private final DrawnRange scale;
    private final DrawnRange ratio;
    private final PictureResize resize;
    private String drawn = "";

    private RandomResizedCrop(Size.Exact size, DrawnRange scale, DrawnRange ratio, PictureResize resize) {
        this.size = size;
        this.scale = scale;
        this.ratio = ratio;
        this.resize = resize;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = resize.extent(sample);
        NeededPart part = part(sample, extent.height(), extent.width(), random);
        drawn = "crop " + part.crop();
        resize.apply(sample, extent, part);
    }

    @Override
    public @Nullable StageDone done() {
        return resize.done();
    }

    @Override
    public Optional<NeededPart> neededPart(Sample sample, int height, int width, SampleRandom random) {
        return Optional.of(part(sample, height, width, random));
    }

    private NeededPart part(Sample sample, int height, int width, SampleRandom random) {
        return resize.part(sample, draw(random, height, width, scale, ratio), size.height(), size.width());
    }

    /**
     * Draws the rectangle as torchvision's {@code RandomResizedCrop.make_params} does.
     *
     * @param random the random numbers of the sample
     * @param height the rows of the image
     * @param width the columns of the image
     * @param scale the ratio of the crop's area to the image's area
     * @param ratio the ratio of the crop's width to its height
     */
    static Crop draw(SampleRandom random, int height, int width, DrawnRange scale, DrawnRange ratio) {
        double area = (double) height * width;
        for (int attempt = 0; attempt < TRIES; attempt++) {
            double target = area * random.nextDouble(scale.from(), scale.to());
            double shape = Math.exp(random.nextDouble(Math.log(ratio.from()), Math.log(ratio.to())));
            // Halves are rounded to even, as Python's round does.
            double w = Math.rint(Math.sqrt(target * shape));
            double h = Math.rint(Math.sqrt(target / shape));
            if (w > 0 && w <= width && h > 0 && h <= height) {
                int top = random.nextInt(height - (int) h + 1);
                int left = random.nextInt(width - (int) w + 1);
                return new Crop(top, left, (int) h, (int) w);
            }
        }
        return central(height, width, ratio);
    }

    private static Crop central(int height, int width, DrawnRange ratio) {
        double shape = (double) width / height;
        int w = width;
        int h = height;
        if (shape < ratio.from()) {
            h = (int) Math.rint(width / ratio.from());
        } else if (shape > ratio.to()) {
            w = (int) Math.rint(height * ratio.to());
        }
        // An image that is one pixel wide would lead to an empty crop if the ratio is far from 1. torchvision fails in
        // this case.
        h = Math.min(Math.max(h, 1), height);
        w = Math.min(Math.max(w, 1), width);
        return new Crop((height - h) / 2, (width - w) / 2, h, w);
    }

    @Override
    public String drawn() {
        return drawn;
    }

    /** The factory of {@code RandomResizedCrop}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Size> SIZE =
                Option.of("size", Size.OPTION, "The edge of the square result in pixels, or [height, width].");

        private static final Option<DrawnRange> SCALE = Option.of(
                        "scale", DrawnRange.OPTION, "The range [least, most] of the crop's share of the image's area.")
                .orElse(new DrawnRange(0.08, 1));

        private static final Option<DrawnRange> RATIO = Option.of(
                        "ratio",
                        DrawnRange.OPTION,
                        "The range [least, most] of the ratio of the crop's width to its height, before resizing.")
                .orElse(new DrawnRange(3.0 / 4, 4.0 / 3));

        @Override
        public String name() {
            return "RandomResizedCrop";
        }

        @Override
        public String help() {
            return "Cuts out a rectangle of random area and shape and resizes it.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(SIZE, SCALE, RATIO, ResampleOptions.INTERPOLATION, ResampleOptions.ANTIALIAS);
        }

        @Override
        public OutputSize outputSize(OptionValues options) {
            return OutputSize.FIXED;
        }

        @Override
        public PictureWork pictureWork(OptionValues options) {
            return PictureWork.RESIZE;
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            return create(options, (Function<Sample, ColumnOrder>) null);
        }

        @Override
        public Transform create(OptionValues options, TransformContext context) {
            return create(options, context.flipAhead());
        }

        private Transform create(OptionValues options, @Nullable Function<Sample, ColumnOrder> flip) {
            return new RandomResizedCrop(
                    options.get(SIZE).square(),
                    options.get(SCALE),
                    options.get(RATIO),
                    new PictureResize(name(), options.get(ResampleOptions.INTERPOLATION), flip));
        }
    }
}
