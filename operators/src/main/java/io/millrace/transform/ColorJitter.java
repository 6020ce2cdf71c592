package io.millrace.transform;

import io.millrace.dataset.MalformedSampleException;
import io.millrace.image.ColorOps;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Changes brightness, contrast, saturation and hue by random factors, in random order. */
final class ColorJitter implements Transform {
    private final ColorOps operations = new ColorOps();
    private final ImageFields images = new ImageFields("ColorJitter");
    private final List<Optional<Jitter>> ranges;
    private final int[] order = new int[Property.ALL.size()];
    private final double[] factors = new double[Property.ALL.size()];

    private ColorJitter(List<Optional<Jitter>> ranges) {
        this.ranges = ranges;
    }

    /** What is changed, in torchvision's order of drawing the factors. */
    private enum Property {
        BRIGHTNESS,
        CONTRAST,
        SATURATION,
        HUE;

        static final List<Property> ALL = List.of(values());

        void change(ColorOps operations, Field image, double factor) {
            switch (this) {
                case BRIGHTNESS -> operations.brightness(image, factor);
                case CONTRAST -> operations.contrast(image, factor);
                case SATURATION -> operations.saturation(image, factor);
                case HUE -> operations.hue(image, factor);
            }
        }
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws MalformedSampleException {
        draw(random);
        images.changeImages(sample, (image, spare) -> {
            for (int property : order) {
                if (ranges.get(property).isPresent()) {
                    Property.ALL.get(property).change(operations, image, factors[property]);
                }
            }
            return image;
        });
    }

    /** A uniform permutation (Fisher and Yates, inside out), then a factor for each property that has a range. */
    private void draw(SampleRandom random) {
        for (int i = 0; i < order.length; i++) {
            int place = random.nextInt(i + 1);
            order[i] = order[place];
            order[place] = i;
        }
        for (int property = 0; property < factors.length; property++) {
            Optional<Jitter> range = ranges.get(property);
            if (range.isPresent()) {
                factors[property] = range.get().draw(random);
            }
        }
    }

    @Override
    public String drawn() {
        StringBuilder drawn = new StringBuilder();
        for (int property : order) {
            if (ranges.get(property).isPresent()) {
                drawn.append(drawn.isEmpty() ? "" : ", ")
                        .append(Property.ALL.get(property).name().toLowerCase(Locale.ROOT))
                        .append(String.format(Locale.ROOT, " %.3f", factors[property]));
            }
        }
        return drawn.toString();
    }

    /** {@code ColorJitter}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Jitter> BRIGHTNESS = Option.of(
                        "brightness",
                        Jitter.FACTOR,
                        "The range of factors of every value: x for 1 - x to 1 + x, or both.")
                .optional();

        private static final Option<Jitter> CONTRAST = Option.of(
                        "contrast", Jitter.FACTOR, "The range of factors of the distance from the mean gray.")
                .optional();

        private static final Option<Jitter> SATURATION = Option.of(
                        "saturation", Jitter.FACTOR, "The range of factors of the distance from the pixel's gray.")
                .optional();

        private static final Option<Jitter> HUE = Option.of(
                        "hue",
                        Jitter.TURN,
                        "The range that the hue is turned by, in whole turns: x for -x to x, or both.")
                .optional();

        @Override
        public String name() {
            return "ColorJitter";
        }

        @Override
        public String help() {
            return "Changes brightness, contrast, saturation and hue by random factors, in random order.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(BRIGHTNESS, CONTRAST, SATURATION, HUE);
        }

        @Override
        public Transform create(OptionValues options) {
            return new ColorJitter(List.of(
                    options.find(BRIGHTNESS).filter(Jitter::changesFactor),
                    options.find(CONTRAST).filter(Jitter::changesFactor),
                    options.find(SATURATION).filter(Jitter::changesFactor),
                    options.find(HUE).filter(Jitter::turns)));
        }
    }
}
