package io.millrace.image;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Pixels of three bytes as vectors of {@link #LANES} {@code int}, and the conversion of floats to whole numbers.
 * Vectors have 256 bits even if the machine has 512, because not every such machine can exchange bytes of 512 bits.
 */
final class PixelVectors {
    static final VectorSpecies<Integer> INTS = IntVector.SPECIES_256;
    static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_256;

    /** The pixels in one vector. */
    static final int LANES = 8;

    /** The bytes of the pixels in one vector. */
    static final int PIXEL_BYTES = 3 * LANES;

    /**
     * The number of bytes that are read and written from the first pixel on. It is larger than the number of the
     * pixels' bytes.
     */
    static final int REACH = 4 * LANES;

    static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_256;
    static final VectorShuffle<Byte> OPEN =
            VectorShuffle.fromOp(BYTES, lane -> Math.min(lane / 4 * 3 + lane % 4, REACH - 1));
    static final VectorShuffle<Byte> CLOSE =
            VectorShuffle.fromOp(BYTES, lane -> Math.min(lane / 3 * 4 + lane % 3, REACH - 1));

    /**
     * A number for rounding. When it is added to a float below 2^22, the low bits of the sum are the nearest whole
     * number.
     */
    static final float WHOLE = 3 << 22;

    private PixelVectors() {}

    /** Reads pixels: red in the lowest byte of each lane, then green and blue. The highest byte is undefined. */
    static IntVector open(byte[] pixels, int at) {
        return ByteVector.fromArray(BYTES, pixels, at).rearrange(OPEN).reinterpretAsInts();
    }

    /** Writes pixels, and undefined bytes after them. */
    static void close(IntVector packed, byte[] pixels, int at) {
        packed.reinterpretAsBytes().rearrange(CLOSE).intoArray(pixels, at);
    }

    static FloatVector floats(IntVector ints) {
        return (FloatVector) ints.convertShape(VectorOperators.I2F, FLOATS, 0);
    }

    /**
     * Returns the largest whole numbers that are not above the values, which must be within 2^22. A cast to int is not
     * used, because Java 17 would allocate its vectors.
     */
    static IntVector floor(FloatVector values) {
        FloatVector shifted = values.add(floats(WHOLE));
        IntVector nearest = shifted.reinterpretAsInts().sub(ints(Float.floatToRawIntBits(WHOLE)));
        FloatVector above = values.sub(shifted.sub(floats(WHOLE)));
        return nearest.add(above.reinterpretAsInts().lanewise(VectorOperators.ASHR, 31));
    }

    /** Returns the whole part, clamped to 0 to 255. */
    static IntVector level(FloatVector values) {
        return floor(values).max(ints(0)).min(ints(255));
    }

    /** Returns a vector with one value in all lanes. */
    static IntVector ints(int value) {
        return IntVector.broadcast(INTS, value);
    }

    /** Returns a vector with one value in all lanes. */
    static FloatVector floats(float value) {
        return FloatVector.broadcast(FLOATS, value);
    }
}
