package io.millrace.transform;

import io.millrace.image.FloatStep;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.util.List;

/**
 * The factory of {@code Normalize}, which subtracts a mean and then divides by a standard deviation, per channel, as
 * torchvision does.
 */
public final class Normalize extends FloatTransformFactory {
    private static final Option<List<Double>> MEAN = Option.of(
            "mean",
            OptionType.listOf(OptionType.NUMBER),
            "The mean that is subtracted: one number per channel, or one for all.");
    private static final Option<List<Double>> STD = Option.of(
            "std",
            OptionType.listOf(OptionType.NUMBER.where(n -> n > 0, "above 0")),
            "The standard deviation, which is the divisor: one number per channel, or one for all.");

    /** Creates the factory. */
    public Normalize() {
        super(
                "Normalize",
                "Converts numbers to 32-bit floats, subtracts a mean and divides by a standard deviation, per channel, as torchvision's"
                        + " Normalize.",
                MEAN,
                STD);
    }

    @Override
    public FloatStep step(OptionValues options) {
        return FloatStep.standardize(options.get(MEAN), options.get(STD));
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("Normalize", "Standardize", "Normalization");
    }
}
