package io.millrace.transform;

import io.millrace.image.FloatStep;
import io.millrace.option.OptionValues;
import java.util.List;

/** The factory of {@code ConvertColor}, which converts RGB to JPEG's YCbCr with full range. */
public final class ConvertColor extends FloatTransformFactory {
    private static final FloatStep STEP = FloatStep.mix(
            List.of(0.299f, 0.587f, 0.114f, -0.16874f, -0.33126f, 0.5f, 0.5f, -0.41869f, -0.08131f),
            List.of(0f, 128f, 128f));

    /** Creates the factory. */
    public ConvertColor() {
        super(
                "ConvertColor",
                "Converts pixels to 32-bit floats, and RGB to YCbCr. Use it before transforms that scale values, because it adds 128 to two channels.");
    }

    @Override
    public FloatStep step(OptionValues options) {
        return STEP;
    }
}
