package io.millrace.transform;

import io.millrace.image.FloatFormula;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.nio.FloatBuffer;
import java.util.List;

/** The factory of {@code ToFloat}, which divides every value. */
public final class ToFloat implements TransformFactory {
    @Override
    public String name() {
        return "ToFloat";
    }

    @Override
    public String help() {
        return "Converts numbers to 32-bit floats and divides them by scale: 0..255 becomes 0..1.";
    }

    @Override
    public List<Option<?>> options() {
        return FloatTransform.options(FloatRules.SCALE);
    }

    @Override
    public Transform create(OptionValues options) {
        return new FloatTransform(
                name(), options, new Division(options.get(FloatRules.SCALE).floatValue()));
    }

    private record Division(float divisor) implements FloatTransform.Arithmetic {
        /** Accepts any number of channels. */
        @Override
        public void require(int channels) {}

        @Override
        public FloatFormula ofBytes(int channels) {
            return FloatFormula.plain(channels).divided(divisor).orElseThrow();
        }

        @Override
        public void ofFloats(FloatBuffer values, int channels) {
            for (int i = 0; i < values.limit(); i++) {
                values.put(i, values.get(i) / divisor);
            }
        }
    }
}
