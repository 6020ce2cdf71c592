package io.millrace.transform;

import io.millrace.image.FloatFormula;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.nio.FloatBuffer;
import java.util.List;

/**
 * The factory of {@code Normalize}, which subtracts a mean and then divides by a standard deviation, per channel, as
 * torchvision does.
 */
public final class Normalize implements TransformFactory {
    @Override
    public String name() {
        return "Normalize";
    }

    @Override
    public String help() {
        return "Converts numbers to 32-bit floats, subtracts a mean and divides by a standard deviation, per channel, as torchvision's"
                + " Normalize.";
    }

    @Override
    public List<Option<?>> options() {
        return FloatTransform.options(FloatRules.MEAN, FloatRules.STD);
    }

    @Override
    public Transform create(OptionValues options) {
        return new FloatTransform(
                name(), options, new Standard(options.get(FloatRules.MEAN), options.get(FloatRules.STD)));
    }

    private record Standard(List<Double> mean, List<Double> deviation) implements FloatTransform.Arithmetic {
        @Override
        public void require(int channels) {
            FloatRules.perChannel("mean", mean, channels);
            FloatRules.perChannel("std", deviation, channels);
        }

        @Override
        public FloatFormula ofBytes(int channels) {
            return FloatFormula.plain(channels)
                    .standardized(
                            FloatRules.perChannel("mean", mean, channels),
                            FloatRules.perChannel("std", deviation, channels))
                    .orElseThrow();
        }

        @Override
        public void ofFloats(FloatBuffer values, int channels) {
            List<Float> means = FloatRules.perChannel("mean", mean, channels);
            List<Float> deviations = FloatRules.perChannel("std", deviation, channels);
            for (int channel = 0; channel < channels; channel++) {
                float subtracted = means.get(channel);
                float divisor = deviations.get(channel);
                for (int i = channel; i < values.limit(); i += channels) {
                    values.put(i, (values.get(i) - subtracted) / divisor);
                }
            }
        }
    }
}
