package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.image.Fill;
import io.millrace.image.PixelOps;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Optional;

/**
 * A transform that paints over a rectangle of random area and shape. The rectangle is the same in all images of a
 * sample. As in torchvision, masks stay unchanged.
 *
 * <p>{@code value: random} paints uniform bytes, as Zhong et al. define it in "Random Erasing Data Augmentation"
 * (2017). torchvision draws normal numbers, which are meant for normalized pixels: as bytes they would all be 0, 1, 2,
 * 254 or 255.
 */
final class RandomErasing implements Transform {
    private static final int TRIES = 10;

    private final double probability;
    private final Shares scale;
    private final DrawnRange ratio;
    /** The colour; empty for random values. */
    private final Optional<Fill> value;

    private final ImageFields fields = new ImageFields("RandomErasing");
    private byte[] noise = {};
    private String drawn = "";

    private RandomErasing(double probability, Shares scale, DrawnRange ratio, Optional<Fill> value) {
        this.probability = probability;
        this.scale = scale;
        this.ratio = ratio;
        this.value = value;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = fields.extent(sample);
        Optional<Crop> area = random.nextDouble() < probability
                ? draw(random, extent.height(), extent.width(), scale, ratio)
                : Optional.empty();
        drawn = area.map(crop -> "erased " + crop).orElse("as is");
        if (area.isPresent()) {
            fields.changeImages(sample, (image, spare) -> {
                erase(sample, image, area.get(), random);
                return image;
            });
        }
    }

    /**
     * Draws the rectangle as torchvision's {@code RandomErasing.make_params} does.
     *
     * @param random the random numbers of the sample
     * @param height the rows of the image
     * @param width the columns of the image
     * @param scale the ratio of the rectangle's area to the image's area
     * @param ratio the ratio of the rectangle's height to its width
     * @return the rectangle; empty when none of ten tries fits
     */
    static Optional<Crop> draw(SampleRandom random, int height, int width, Shares scale, DrawnRange ratio) {
        double area = (double) height * width;
        for (int attempt = 0; attempt < TRIES; attempt++) {
            double target = area * random.nextDouble(scale.least(), scale.most());
            double shape = Math.exp(random.nextDouble(Math.log(ratio.from()), Math.log(ratio.to())));
            // Halves are rounded to even, as Python's round does.
            int h = (int) Math.rint(Math.sqrt(target * shape));
            int w = (int) Math.rint(Math.sqrt(target / shape));
            if (h < height && w < width) {
                int top = random.nextInt(height - h + 1);
                int left = random.nextInt(width - w + 1);
                // Like torchvision, nothing is erased when an edge is rounded to 0.
                return h == 0 || w == 0 ? Optional.empty() : Optional.of(new Crop(top, left, h, w));
            }
        }
        return Optional.empty();
    }

    private void erase(Sample sample, Field image, Crop area, SampleRandom random) throws BadSampleException {
        if (value.isPresent()) {
            if (!value.get().fits(image.channels())) {
                throw ImageFields.badSample(
                        sample,
                        "RandomErasing: value " + value.get() + " has 3 numbers, but the image has 1 channel: "
                                + image);
            }
            PixelOps.paint(image, area, value.get());
            return;
        }
        int rowBytes = area.width() * image.channels();
        if (noise.length != rowBytes) {
            noise = new byte[rowBytes];
        }
        for (int row = area.top(); row < area.top() + area.height(); row++) {
            random.nextBytes(noise);
            int at = (row * image.width() + area.left()) * image.channels();
            System.arraycopy(noise, 0, image.data(), at, rowBytes);
        }
    }

    @Override
    public String drawn() {
        return drawn;
    }

    /**
     * A range of shares.
     *
     * @param least the smallest share, 0 to 1
     * @param most the largest share, at least {@code least} and at most 1
     */
    record Shares(double least, double most) {
        static final OptionType<Shares> OPTION = OptionType.of("[least, most]", raw -> {
            if (raw instanceof List<?> list
                    && list.size() == 2
                    && list.get(0) instanceof Number least
                    && list.get(1) instanceof Number most
                    && least.doubleValue() >= 0
                    && least.doubleValue() <= most.doubleValue()
                    && most.doubleValue() <= 1) {
                return new Shares(least.doubleValue(), most.doubleValue());
            }
            throw OptionType.expected("[least, most], two numbers from 0 to 1 in order", raw);
        });

        /** Returns the range as a pipeline file writes it. The documentation prints default values in this form. */
        @Override
        public String toString() {
            return String.valueOf(List.of(least, most));
        }
    }

    /** The option {@code value}: the word {@code random}, or a fill. */
    private record Value(Optional<Fill> fill) {
        static final OptionType<Value> OPTION = OptionType.of(
                "0 to 255, [red, green, blue], or random",
                raw -> "random".equals(raw)
                        ? new Value(Optional.empty())
                        : new Value(Optional.of(Paint.FILL.type().parse(raw))));

        @Override
        public String toString() {
            return fill.map(Fill::toString).orElse("random");
        }
    }

    /** The factory of {@code RandomErasing}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Shares> SCALE = Option.of(
                        "scale",
                        Shares.OPTION,
                        "The range [least, most] of the share of the image's area that is erased.")
                .orElse(new Shares(0.02, 0.33));

        private static final Option<DrawnRange> RATIO = Option.of(
                        "ratio",
                        DrawnRange.OPTION,
                        "The range [least, most] of the ratio of the rectangle's height to its width.")
                .orElse(new DrawnRange(0.3, 3.3));

        private static final Option<Value> VALUE = Option.of(
                        "value", Value.OPTION, "The new pixels: a colour, or random values of 0 to 255.")
                .orElse(new Value(Optional.of(Fill.BLACK)));

        @Override
        public String name() {
            return "RandomErasing";
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of("RandomErasing", "Cutout", "CoarseDropout", "RandomErase");
        }

        @Override
        public String help() {
            return "Paints over a rectangle of random area and shape, with probability p.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(Probability.OPTION, SCALE, RATIO, VALUE);
        }

        @Override
        public Transform create(OptionValues options) {
            return new RandomErasing(
                    options.get(Probability.OPTION),
                    options.get(SCALE),
                    options.get(RATIO),
                    options.get(VALUE).fill());
        }
    }
}
