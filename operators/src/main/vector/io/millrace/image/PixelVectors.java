package io.millrace.image;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
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

    static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_256;
    static final VectorShuffle<Byte> OPEN =
            VectorShuffle.fromOp(BYTES, lane -> Math.min(lane / 4 * 3 + lane % 4, REACH - 1));
    static final VectorShuffle<Byte> CLOSE =
            VectorShuffle.fromOp(BYTES, lane -> Math.min(lane / 3 * 4 + lane % 3, REACH - 1));

    /** Added to a float of less than 2^22 it leaves the nearest whole number in the low bits. */
    static final float WHOLE = 3 << 22;

    private PixelVectors() {}

    /** Reads pixels: red in the lowest byte of each lane, then green and blue, and something in the highest. */
    static IntVector open(byte[] pixels, int at) {
        return ByteVector.fromArray(BYTES, pixels, at).rearrange(OPEN).reinterpretAsInts();
    }

    /** Writes pixels, and something behind them. */
    static void close(IntVector packed, byte[] pixels, int at) {
        packed.reinterpretAsBytes().rearrange(CLOSE).intoArray(pixels, at);
    }

    static FloatVector floats(IntVector ints) {
        return (FloatVector) ints.convertShape(VectorOperators.I2F, FLOATS, 0);
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
}
