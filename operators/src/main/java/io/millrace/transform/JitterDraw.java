package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The random numbers of {@code ColorJitter} for one sample: the order of the changes and the factor of each. They are
 * the same on the data servers and on the device. Serves one thread, and keeps the latest numbers.
 */
public final class JitterDraw {
    private static final Option<Jitter> BRIGHTNESS = Option.of(
                    "brightness",
                    Jitter.FACTOR,
                    "The range of the factor for all values: both ends, or a number x for 1 - x to 1 + x.")
            .optional();

    private static final Option<Jitter> CONTRAST = Option.of(
                    "contrast",
                    Jitter.FACTOR,
                    "The range of the factor for the distance from the mean gray, written like brightness.")
            .optional();

    private static final Option<Jitter> SATURATION = Option.of(
                    "saturation",
                    Jitter.FACTOR,
                    "The range of the factor for the distance from the pixel's gray, written like brightness.")
            .optional();

    private static final Option<Jitter> HUE = Option.of(
                    "hue",
                    Jitter.TURN,
                    "The range of the rotation of the hue, in whole turns: both ends, or a number x for -x to x.")
            .optional();

    /** The options of a jitter. */
    public static final List<Option<?>> OPTIONS = List.of(BRIGHTNESS, CONTRAST, SATURATION, HUE);

    private final List<Optional<Jitter>> ranges;
    private final int[] order = new int[Property.COUNT];
    private final double[] factors = new double[Property.COUNT];

    private JitterDraw(List<Optional<Jitter>> ranges) {
        this.ranges = ranges;
    }

    /** The properties that are changed, in the order in which torchvision draws their factors. */
    public enum Property {
        BRIGHTNESS(0),
        CONTRAST(1),
        SATURATION(2),
        HUE(3);

        /** The number of properties. */
        public static final int COUNT = 4;

        private static final List<Property> ALL = List.of(values());

        private final int number;

        Property(int number) {
            this.number = number;
        }

        /** Returns the place of the property in that order, from 0. */
        public int number() {
            return number;
        }
    }

    /** Returns the draw with the options of a pipeline file. */
    public static JitterDraw of(OptionValues options) {
        return new JitterDraw(List.of(
                options.find(BRIGHTNESS).filter(Jitter::changesFactor),
                options.find(CONTRAST).filter(Jitter::changesFactor),
                options.find(SATURATION).filter(Jitter::changesFactor),
                options.find(HUE).filter(Jitter::turns)));
    }

    /**
     * Draws a uniform permutation (Fisher and Yates, inside out), and then a factor for each property that has a range.
     */
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

    /** Returns whether the property has a range. */
    public boolean changes(Property property) {
        return ranges.get(property.number()).isPresent();
    }

    /**
     * Returns the property at a place of the order that was drawn last.
     *
     * @param place the place, from 0
     */
    public Property at(int place) {
        return Property.ALL.get(order[place]);
    }

    /** Returns the factor that was drawn last for a property that has a range; for the hue, the turn. */
    public double factor(Property property) {
        return factors[property.number()];
    }

    /** Describes the factors that were drawn last, in their order. */
    String describe() {
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
