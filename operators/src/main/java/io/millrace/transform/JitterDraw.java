package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What {@code ColorJitter} draws for a sample: the order of the changes, and how much each is. The same wherever they are
 * done. Serves one thread: it holds what was drawn last.
 */
public final class JitterDraw {
    private static final Option<Jitter> BRIGHTNESS = Option.of(
                    "brightness", Jitter.FACTOR, "The range of factors of every value: x for 1 - x to 1 + x, or both.")
            .optional();

    private static final Option<Jitter> CONTRAST = Option.of(
                    "contrast", Jitter.FACTOR, "The range of factors of the distance from the mean gray.")
            .optional();

    private static final Option<Jitter> SATURATION = Option.of(
                    "saturation", Jitter.FACTOR, "The range of factors of the distance from the pixel's gray.")
            .optional();

    private static final Option<Jitter> HUE = Option.of(
                    "hue", Jitter.TURN, "The range that the hue is turned by, in whole turns: x for -x to x, or both.")
            .optional();

    /** What may be said about a jitter. */
    public static final List<Option<?>> OPTIONS = List.of(BRIGHTNESS, CONTRAST, SATURATION, HUE);

    private final List<Optional<Jitter>> ranges;
    private final int[] order = new int[Property.COUNT];
    private final double[] factors = new double[Property.COUNT];

    private JitterDraw(List<Optional<Jitter>> ranges) {
        this.ranges = ranges;
    }

    /** What is changed, in torchvision's order of drawing the factors. */
    public enum Property {
        BRIGHTNESS(0),
        CONTRAST(1),
        SATURATION(2),
        HUE(3);

        /** How many there are. */
        public static final int COUNT = 4;

        private static final List<Property> ALL = List.of(values());

        private final int number;

        Property(int number) {
            this.number = number;
        }

        /** Its place in that order, from 0. */
        public int number() {
            return number;
        }
    }

    /** As a pipeline file says. */
    public static JitterDraw of(OptionValues options) {
        return new JitterDraw(List.of(
                options.find(BRIGHTNESS).filter(Jitter::changesFactor),
                options.find(CONTRAST).filter(Jitter::changesFactor),
                options.find(SATURATION).filter(Jitter::changesFactor),
                options.find(HUE).filter(Jitter::turns)));
    }

    /** Draws a uniform permutation (Fisher and Yates, inside out), then a factor for each property that has a range. */
    public void draw(SampleRandom random) {
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

    /** Whether the property has a range at all. */
    public boolean changes(Property property) {
        return ranges.get(property.number()).isPresent();
    }

    /** What is changed in that place of the order drawn last, from 0. */
    public Property at(int place) {
        return Property.ALL.get(order[place]);
    }

    /** The factor drawn last of a property that has a range; for the hue, its turn. */
    public double factor(Property property) {
        return factors[property.number()];
    }

    /** What was drawn last, for people. */
    String told() {
        StringBuilder drawn = new StringBuilder();
        for (int place = 0; place < Property.COUNT; place++) {
            Property property = at(place);
            if (changes(property)) {
                drawn.append(drawn.isEmpty() ? "" : ", ")
                        .append(property.name().toLowerCase(Locale.ROOT))
                        .append(String.format(Locale.ROOT, " %.3f", factor(property)));
            }
        }
        return drawn.toString();
    }
}
