package io.millrace.transform;

import io.millrace.image.SharpnessOps;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.util.List;

/** The factory of {@code RandomAdjustSharpness}, which sharpens or blurs with a given probability. */
public final class RandomAdjustSharpness implements TransformFactory {
    private static final String NAME = "RandomAdjustSharpness";

    private static final Option<Double> FACTOR = Option.of(
            "sharpness_factor",
            OptionType.NUMBER.where(value -> value >= 0, "at least 0"),
            "The factor of the sharpness: 0 blurs, 1 changes nothing, 2 sharpens.");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String help() {
        return "Sharpens or blurs with probability p.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(FACTOR, Probability.OPTION);
    }

    @Override
    public PictureWork pictureWork(OptionValues options) {
        return PictureWork.NEIGHBOURHOOD;
    }

    @Override
    public Transform create(OptionValues options) {
        SharpnessOps operations = new SharpnessOps();
        double factor = options.get(FACTOR);
        return new RandomChange(NAME, "sharpness " + factor, options.get(Probability.OPTION), (image, spare) -> {
            operations.sharpness(image, factor);
            return image;
        });
    }
}
