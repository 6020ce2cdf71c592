package io.millrace.image;

import java.util.Arrays;

/**
 * The conversion in plain Java. For few channels it uses a table of the 256 values of each channel. If a matrix mixes channels, or
 * if there are many, it computes block by block.
 */
final class ScalarFloatKernel implements FloatKernel {
    private static final int BYTES = 256;

    /** The largest number of channels whose table stays in a core's cache. */
    private static final int MOST_CHANNELS = 4;

    private final int channels;
    private final FloatBlock block;

    /** The results by channel, then byte; empty without a table. */
    private final float[] table;

    ScalarFloatKernel(FloatFormula formula) {
        channels = formula.channels();
        block = new FloatBlock(formula);
        table = new float[formula.mixes() || channels > MOST_CHANNELS ? 0 : channels * BYTES];
        float[] pixel = new float[channels];
        for (int value = 0; value < table.length / channels; value++) {
            Arrays.fill(pixel, value);
            block.change(pixel, channels);
            for (int channel = 0; channel < channels; channel++) {
                table[channel * BYTES + value] = pixel[channel];
            }
        }
    }

    @Override
    public void convert(byte[] bytes, int count, float[] floats) {
        if (table.length == 0) {
            for (int i = 0; i < count; i++) {
                floats[i] = bytes[i] & 0xff;
            }
            block.change(floats, count);
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
}
