package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import java.util.List;

/**
 * Which samples {@code RandomHorizontalFlip} and {@code RandomVerticalFlip} mirror: the same wherever that is done.
 *
 * @param probability 0 to 1
 */
public record FlipDraw(double probability) {
    /** What may be said about a flip. */
    public static final List<Option<?>> OPTIONS = List.of(Probability.OPTION);

    /** As a pipeline file says. */
    public static FlipDraw of(OptionValues options) {
        return new FlipDraw(options.get(Probability.OPTION));
    }

    /** Whether a sample is mirrored. */
    public boolean draw(SampleRandom random) {
        return random.nextDouble() < probability;
    }
}
