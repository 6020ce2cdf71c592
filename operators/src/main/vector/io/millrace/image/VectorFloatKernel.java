package io.millrace.image;

import static io.millrace.image.PixelVectors.FLOATS;
import static io.millrace.image.PixelVectors.INTS;
import static io.millrace.image.PixelVectors.LANES;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;

/**
 * The conversion of bytes to floats with vectors. Without a matrix there are only 256 values for each channel.
 * Divisions are therefore replaced by a multiplication and a correction, if this does not change any of the 256
 * results: x / d is {@code fma(fma(-q, d, x), r, q)} with r = 1 / d and q = x * r, after P. Markstein (IBM Journal of
 * Research and Development 34, 1990). This takes a third of the time.
 */
final class VectorFloatKernel implements FloatKernel {
    private static final int PHASES = 3;
    private static final VectorShuffle<Integer> FIRST = VectorShuffle.fromOp(INTS, lane -> lane / 3);
    private static final VectorShuffle<Integer> SECOND = VectorShuffle.fromOp(INTS, lane -> (lane + LANES) / 3);
    private static final VectorShuffle<Integer> THIRD = VectorShuffle.fromOp(INTS, lane -> (lane + 2 * LANES) / 3);

    private final FloatKernel scalar;
    private final boolean replaceable;
    private final boolean mixes;
    private final boolean standardizes;
    private final float divisor;

    /** One mean for each float of a block. */
    private final float[] mean;

    private final float[] deviation;
    private final float[] inverse;

    /**
     * The matrix and the offset for each lane of the three vectors that eight pixels fill: red, green, blue, offset.
     */
    private final float[] weights = new float[4 * PHASES * LANES];

    // The operands of the steps.
    private byte[] source = new byte[0];
    private float[] target = new float[0];
    private int count;
    private final VectorStep open = start -> open(source, count, target);
    private final VectorStep scale = start -> scale(source, count, divisor(), target);
    private final VectorStep standardize;
    private final VectorStep mix;
    private final VectorStep divide = start -> divide(count, divisor(), target);
    private final VectorStep standardizeMixed;

    VectorFloatKernel(FloatFormula formula) {
        scalar = new ScalarFloatKernel(formula);
        divisor = formula.divisor();
        mixes = !formula.rows().isEmpty();
        standardizes = formula.standardizes();
        mean = Floats.repeated(formula.mean(), BLOCK);
        deviation = Floats.repeated(formula.deviation(), BLOCK);
        inverse = new float[BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            inverse[i] = 1 / deviation[i];
        }
        replaceable = !mixes && replaceable(formula.channels());
        for (int lane = 0; mixes && lane < PHASES * LANES; lane++) {
            int to = lane % 3;
            for (int from = 0; from < 3; from++) {
                weights[from * PHASES * LANES + lane] = formula.rows().get(3 * to + from);
            }
            weights[3 * PHASES * LANES + lane] = formula.offset().get(to);
        }
        standardize = start -> standardize(count, mean, deviation, inverse, target);
        standardizeMixed = start -> standardizeMixed(count, mean, deviation, target);
        mix = start -> mix(source, count, weights, target);
    }

    private float divisor() {
        return divisor;
    }

    private boolean replaceable(int channels) {
        for (int value = 0; value < 256; value++) {
            float scaled = quotient(value, divisor, 1 / divisor);
            for (int channel = 0; channel < channels; channel++) {
                float centred = scaled - mean[channel];
                float result = quotient(centred, deviation[channel], inverse[channel]);
                if (differ(scaled, value / divisor) || differ(result, centred / deviation[channel])) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean differ(float one, float other) {
        return Float.floatToRawIntBits(one) != Float.floatToRawIntBits(other);
    }

    private static float quotient(float value, float divisor, float inverse) {
        float near = value * inverse;
        return Math.fma(Math.fma(-near, divisor, value), inverse, near);
    }

    @Override
    public void convert(byte[] bytes, int number, float[] floats) {
        if (!mixes && !replaceable) {
            scalar.convert(bytes, number, floats);
            return;
        }
        source = bytes;
        target = floats;
        count = number;
        if (mixes) {
            VectorStep.run(mix, 0);
            if (divisor != 1) {
                VectorStep.run(divide, 0);
            }
        } else {
            VectorStep.run(divisor == 1 ? open : scale, 0);
        }
        if (standardizes) {
            VectorStep.run(mixes ? standardizeMixed : standardize, 0);
        }
    }

    private static void open(byte[] bytes, int count, float[] floats) {
        for (int i = 0; i < count; i += LANES) {
            PixelVectors.floats(VectorBlend.load(bytes, i)).intoArray(floats, i);
        }
    }

    private static void scale(byte[] bytes, int count, float divisor, float[] floats) {
        FloatVector inverses = FloatVector.broadcast(FLOATS, 1 / divisor);
        FloatVector less = FloatVector.broadcast(FLOATS, -divisor);
        for (int i = 0; i < count; i += LANES) {
            FloatVector value = PixelVectors.floats(VectorBlend.load(bytes, i));
            FloatVector near = value.mul(inverses);
            near.fma(less, value).fma(inverses, near).intoArray(floats, i);
        }
    }

    private static void standardize(int count, float[] mean, float[] deviation, float[] inverse, float[] floats) {
        for (int i = 0; i < count; i += LANES) {
            FloatVector centred = FloatVector.fromArray(FLOATS, floats, i).sub(FloatVector.fromArray(FLOATS, mean, i));
            FloatVector inverses = FloatVector.fromArray(FLOATS, inverse, i);
            FloatVector near = centred.mul(inverses);
            near.neg()
                    .fma(FloatVector.fromArray(FLOATS, deviation, i), centred)
                    .fma(inverses, near)
                    .intoArray(floats, i);
        }
    }

    private static void divide(int count, float divisor, float[] floats) {
        FloatVector divisors = FloatVector.broadcast(FLOATS, divisor);
        for (int i = 0; i < count; i += LANES) {
            FloatVector.fromArray(FLOATS, floats, i).div(divisors).intoArray(floats, i);
        }
    }

    private static void standardizeMixed(int count, float[] mean, float[] deviation, float[] floats) {
        for (int i = 0; i < count; i += LANES) {
            FloatVector.fromArray(FLOATS, floats, i)
                    .sub(FloatVector.fromArray(FLOATS, mean, i))
                    .div(FloatVector.fromArray(FLOATS, deviation, i))
                    .intoArray(floats, i);
        }
    }

    /**
     * Converts pixels with a matrix. Eight pixels fill three vectors. Each lane first gets its whole pixel, then its
     * own row of the matrix.
     */
    private static void mix(byte[] bytes, int count, float[] weights, float[] floats) {
        for (int i = 0; i < count; i += PHASES * LANES) {
            IntVector pixels = PixelVectors.open(bytes, i);
            mixed(pixels.rearrange(FIRST), weights, 0).intoArray(floats, i);
            mixed(pixels.rearrange(SECOND), weights, LANES).intoArray(floats, i + LANES);
            mixed(pixels.rearrange(THIRD), weights, 2 * LANES).intoArray(floats, i + 2 * LANES);
        }
    }

    private static FloatVector mixed(IntVector pixels, float[] weights, int at) {
        IntVector byteBits = IntVector.broadcast(INTS, 255);
        FloatVector red = PixelVectors.floats(pixels.and(byteBits));
        FloatVector green =
                PixelVectors.floats(pixels.lanewise(VectorOperators.LSHR, 8).and(byteBits));
        FloatVector blue =
                PixelVectors.floats(pixels.lanewise(VectorOperators.LSHR, 16).and(byteBits));
        FloatVector sum = green.fma(
                FloatVector.fromArray(FLOATS, weights, at + PHASES * LANES),
                red.mul(FloatVector.fromArray(FLOATS, weights, at)));
        return blue.fma(FloatVector.fromArray(FLOATS, weights, at + 2 * PHASES * LANES), sum)
                .add(FloatVector.fromArray(FLOATS, weights, at + 3 * PHASES * LANES));
    }
}
