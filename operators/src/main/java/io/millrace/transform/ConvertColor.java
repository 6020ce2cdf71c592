package io.millrace.transform;

import io.millrace.image.FloatFormula;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.nio.FloatBuffer;
import java.util.List;

/**
 * The factory of {@code ConvertColor}, which multiplies the three channels of each pixel by a matrix and adds an
 * offset.
 */
public final class ConvertColor implements TransformFactory {
    private static final int CHANNELS = 3;

    @Override
    public String name() {
        return "ConvertColor";
    }

    @Override
    public String help() {
        return "Converts pixels to 32-bit floats, and RGB to YCbCr. Use it before transforms that scale values, because it adds 128 to two channels.";
    }

    @Override
    public List<Option<?>> options() {
        return FloatTransform.options();
    }

    @Override
    public Transform create(OptionValues options) {
        return new FloatTransform(name(), options, new Matrix());
    }

    private record Matrix() implements FloatTransform.Arithmetic {
        @Override
        public void require(int channels) {
            if (channels != CHANNELS) {
                throw new IllegalArgumentException("ConvertColor requires pixels of three channels, found " + channels);
            }
        }

        @Override
        public FloatFormula ofBytes(int channels) {
            return FloatFormula.plain(channels)
                    .converted(FloatRules.COLOR_ROWS, FloatRules.COLOR_OFFSET)
                    .orElseThrow();
        }

        /** Computes in the order of operations that {@link FloatFormula} defines. */
        @Override
        public void ofFloats(FloatBuffer values, int channels) {
            float[] rows = new float[CHANNELS * CHANNELS];
            for (int i = 0; i < rows.length; i++) {
                rows[i] = FloatRules.COLOR_ROWS.get(i);
            }
            for (int at = 0; at < values.limit(); at += CHANNELS) {
                float red = values.get(at);
                float green = values.get(at + 1);
                float blue = values.get(at + 2);
                for (int channel = 0; channel < CHANNELS; channel++) {
                    int row = CHANNELS * channel;
                    float sum = Math.fma(blue, rows[row + 2], Math.fma(green, rows[row + 1], red * rows[row]));
                    values.put(at + channel, sum + FloatRules.COLOR_OFFSET.get(channel));
                }
            }
        }
    }
}
