package io.millrace.transform;

import io.millrace.image.FloatStep;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.util.List;

/** The factory of {@code ToFloat}, which divides every value. */
public final class ToFloat extends FloatTransformFactory {
    private static final Option<Double> SCALE = Option.of(
                    "scale", OptionType.NUMBER.where(n -> n > 0, "above 0"), "The divisor of every value.")
            .orElse(255.0);

    /** Creates the factory. */
    public ToFloat() {
        super("ToFloat", "Converts numbers to 32-bit floats and divides them by scale: 0..255 becomes 0..1.", SCALE);
    }

    @Override
    public FloatStep step(OptionValues options) {
        return FloatStep.divide(options.get(SCALE));
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of(
                "ToFloat: {scale: 255}",
                "ToTensor",
                "ConvertImageDtype",
                "ToDtype",
                "Rescale",
                "Rescaling",
                "Scale",
                "ToTensorV2");
    }
}
