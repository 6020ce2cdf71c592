package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import java.util.List;

/**
 * The random decision of {@code RandomHorizontalFlip} and {@code RandomVerticalFlip}. It is the same on the data
 * servers and on the device.
 *
 * @param probability the probability that a sample is mirrored, 0 to 1
 */
public record FlipDraw(double probability) {
    /** The options of a flip. */
    public static final List<Option<?>> OPTIONS = List.of(Probability.OPTION);

    /** Returns the decision with the options of a pipeline file. */
    public static FlipDraw of(OptionValues options) {
        return new FlipDraw(options.get(Probability.OPTION));
    }

    /** Draws whether a sample is mirrored. */
    public boolean draw(SampleRandom random) {
        return random.nextDouble() < probability;
    }
}
