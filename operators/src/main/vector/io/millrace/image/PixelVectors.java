package io.millrace.image;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Pixels of three bytes as vectors of {@link #LANES} {@code int}, and floats to whole numbers. 256 bits, also where the
 * machine has 512: not every such machine can exchange bytes of so many.
 */
final class PixelVectors {
    static final VectorSpecies<Integer> INTS = IntVector.SPECIES_256;
    static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_256;

    /** Pixels in one vector. */
    static final int LANES = 8;

    /** Bytes of so many pixels. */
    static final int PIXEL_BYTES = 3 * LANES;

    /** Bytes that are read and written from where pixels begin: some more than theirs. */
    static final int REACH = 4 * LANES;

    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_256;
    private static final VectorShuffle<Byte> OPEN =
            VectorShuffle.fromOp(BYTES, lane -> Math.min(lane / 4 * 3 + lane % 4, REACH - 1));
    private static final VectorShuffle<Byte> CLOSE =
            VectorShuffle.fromOp(BYTES, lane -> Math.min(lane / 3 * 4 + lane % 3, REACH - 1));

    /** Added to a float of less than 2^22 it leaves the nearest whole number in the low bits. */
    private static final float WHOLE = 3 << 22;

    private PixelVectors() {}

    /** Reads pixels: red in the lowest byte of each lane, then green and blue, and something in the highest. */
    static IntVector open(byte[] pixels, int at) {
        return ByteVector.fromArray(BYTES, pixels, at).rearrange(OPEN).reinterpretAsInts();
    }

    /** Writes pixels, and something behind them. */
    static void close(IntVector packed, byte[] pixels, int at) {
        packed.reinterpretAsBytes().rearrange(CLOSE).intoArray(pixels, at);
    }

    static IntVector red(IntVector packed) {
        return packed.and(ints(255));
    }

    static IntVector green(IntVector packed) {
        return packed.lanewise(VectorOperators.LSHR, 8).and(ints(255));
    }

    static IntVector blue(IntVector packed) {
        return packed.lanewise(VectorOperators.LSHR, 16).and(ints(255));
    }

    static IntVector packed(IntVector red, IntVector green, IntVector blue) {
        return red.or(green.lanewise(VectorOperators.LSHL, 8)).or(blue.lanewise(VectorOperators.LSHL, 16));
    }

    static FloatVector floats(IntVector ints) {
        return (FloatVector) ints.convertShape(VectorOperators.I2F, FLOATS, 0);
    }

    /** ITU-R BT.601's gray of pixels, as {@link ColorKernel#graySum} has it. */
    static IntVector gray(FloatVector red, FloatVector green, FloatVector blue) {
        FloatVector sum = green.fma(floats(ColorKernel.GREEN), red.mul(floats(ColorKernel.RED)));
        return floor(blue.fma(floats(ColorKernel.BLUE), sum));
    }

    /** The largest whole number not above; values within 2^22. Java 17 makes objects of vectors it casts to int. */
    static IntVector floor(FloatVector values) {
        FloatVector shifted = values.add(floats(WHOLE));
        IntVector nearest = shifted.reinterpretAsInts().sub(ints(Float.floatToRawIntBits(WHOLE)));
        FloatVector above = values.sub(shifted.sub(floats(WHOLE)));
        return nearest.add(above.reinterpretAsInts().lanewise(VectorOperators.ASHR, 31));
    }

    /** The whole part, clamped to 0 to 255. */
    static IntVector level(FloatVector values) {
        return floor(values).max(ints(0)).min(ints(255));
    }

    /** One value in all lanes. */
    static IntVector ints(int value) {
        return IntVector.broadcast(INTS, value);
    }

    /** One value in all lanes. */
    static FloatVector floats(float value) {
        return FloatVector.broadcast(FLOATS, value);
    }

    /** All bits where the first is less, else none. */
    static IntVector less(IntVector first, IntVector second) {
        return first.sub(second).lanewise(VectorOperators.ASHR, 31);
    }

    /** {@code values}, or {@code values + added} where they are below the limit. */
    static FloatVector addBelow(FloatVector values, float limit, float added) {
        VectorMask<Float> below = values.compare(VectorOperators.LT, floats(limit));
        return values.blend(values.add(floats(added)), below);
    }

    /** {@code values}, or one less where they are 1 or more. */
    static FloatVector lessOne(FloatVector values) {
        VectorMask<Float> full = values.compare(VectorOperators.GE, floats(1));
        return values.blend(values.sub(floats(1)), full);
    }
}
