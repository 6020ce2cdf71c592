package io.millrace.image;

/**
 * The conversion in plain Java. It uses a table of the 256 values of each channel. If a matrix mixes channels, it
 * computes pixel by pixel.
 */
final class ScalarFloatKernel implements FloatKernel {
    private static final int BYTES = 256;

    private final FloatFormula formula;
    private final int channels;

    /** The results by channel, then byte; empty with a matrix. */
    private final float[] table;

    private final float[] rows;
    private final float[] offset;
    private final float[] mean;
    private final float[] deviation;

    ScalarFloatKernel(FloatFormula formula) {
        this.formula = formula;
        channels = formula.channels();
        rows = Floats.of(formula.rows());
        offset = Floats.of(formula.offset());
        mean = Floats.of(formula.mean());
        deviation = Floats.of(formula.deviation());
        table = new float[rows.length == 0 ? channels * BYTES : 0];
        for (int i = 0; i < table.length; i++) {
            table[i] = scaled(i % BYTES, i / BYTES);
        }
    }

    private float scaled(float value, int channel) {
        return (value / formula.divisor() - mean[channel]) / deviation[channel];
    }

    @Override
    public void convert(byte[] bytes, int count, float[] floats) {
        if (table.length == 0) {
            mix(bytes, count, floats);
        } else if (channels == 3) {
            for (int i = 0; i < count; i += 3) {
                floats[i] = table[bytes[i] & 0xff];
                floats[i + 1] = table[BYTES + (bytes[i + 1] & 0xff)];
                floats[i + 2] = table[2 * BYTES + (bytes[i + 2] & 0xff)];
            }
        } else {
            for (int channel = 0; channel < channels; channel++) {
                for (int i = channel; i < count; i += channels) {
                    floats[i] = table[channel * BYTES + (bytes[i] & 0xff)];
                }
            }
        }
    }

    private void mix(byte[] bytes, int count, float[] floats) {
        for (int at = 0; at < count; at += 3) {
            float red = bytes[at] & 0xff;
            float green = bytes[at + 1] & 0xff;
            float blue = bytes[at + 2] & 0xff;
            for (int to = 0; to < 3; to++) {
                float mixed = Math.fma(blue, rows[3 * to + 2], Math.fma(green, rows[3 * to + 1], red * rows[3 * to]));
                floats[at + to] = scaled(mixed + offset[to], to);
            }
        }
    }
}
