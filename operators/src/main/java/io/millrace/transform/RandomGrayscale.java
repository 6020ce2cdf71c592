package io.millrace.transform;

import io.millrace.image.ColorOps;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.util.List;

/**
 * The factory of {@code RandomGrayscale}, which makes images gray with a given probability and keeps the number of
 * channels.
 */
public final class RandomGrayscale implements TransformFactory {
    private static final String NAME = "RandomGrayscale";

    private static final Option<Double> PROBABILITY = Option.of(
                    "p", Probability.TYPE, "The probability that the transform changes a sample.")
            .orElse(0.1);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String help() {
        return "Makes images gray with probability p. The number of channels stays the same.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(PROBABILITY);
    }

    @Override
    public PictureWork pictureWork(OptionValues options) {
        return PictureWork.PER_PIXEL;
    }

    @Override
    public Transform create(OptionValues options) {
        ColorOps operations = new ColorOps();
        return new RandomChange(
                NAME,
                "gray",
                options.get(PROBABILITY),
                (image, spare) -> operations.grayscale(image, image.channels(), spare));
    }
}
