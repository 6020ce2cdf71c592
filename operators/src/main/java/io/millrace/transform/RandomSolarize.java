package io.millrace.transform;

import io.millrace.image.PointOps;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.util.List;

/** The factory of {@code RandomSolarize}, which inverts bright values with a given probability. */
public final class RandomSolarize implements TransformFactory {
    private static final String NAME = "RandomSolarize";

    private static final Option<Double> THRESHOLD = Option.of(
            "threshold",
            OptionType.NUMBER.where(value -> value <= 255, "a number up to 255"),
            "The smallest value that is inverted, up to 255.");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String help() {
        return "Inverts values at or over a threshold with probability p.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(THRESHOLD, Probability.OPTION);
    }

    @Override
    public PictureWork pictureWork(OptionValues options) {
        return PictureWork.PER_PIXEL;
    }

    @Override
    public Transform create(OptionValues options) {
        double threshold = options.get(THRESHOLD);
        return new RandomChange(NAME, "solarized", options.get(Probability.OPTION), (image, spare) -> {
            PointOps.solarize(image, threshold);
            return image;
        });
    }
}
