package io.millrace.image;

import static io.millrace.image.PixelVectors.INTS;
import static io.millrace.image.PixelVectors.LANES;
import static io.millrace.image.PixelVectors.floats;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** Changes of single bytes with vectors. */
final class VectorBlend {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_64;

    private VectorBlend() {}

    /** Changes {@code count} bytes, a multiple of the lanes, as {@link ColorKernel#blend} defines it. */
    static void blend(byte[] pixels, int count, float other, float ratio, float rest) {
        FloatVector ratios = floats(ratio);
        FloatVector others = floats(other);
        FloatVector rests = floats(rest);
        for (int i = 0; i < count; i += LANES) {
            FloatVector values = floats(load(pixels, i));
            store(PixelVectors.level(others.fma(rests, values.mul(ratios))), pixels, i);
        }
    }

    /**
     * Mixes {@code count} bytes of {@code from} with the bytes in {@code mixed}, as {@link ColorKernel#saturate}
     * defines it, and writes the results to {@code mixed}. Some bytes after the results also change.
     */
    static void blend(byte[] from, int at, int count, float ratio, float rest, byte[] mixed) {
        FloatVector ratios = floats(ratio);
        FloatVector rests = floats(rest);
        for (int i = 0; i < count; i += LANES) {
            FloatVector values = floats(load(from, at + i));
            FloatVector others = floats(load(mixed, i));
            store(PixelVectors.level(others.fma(rests, values.mul(ratios))), mixed, i);
        }
    }

    static IntVector load(byte[] bytes, int at) {
        ByteVector loaded = ByteVector.fromArray(BYTES, bytes, at);
        return ((IntVector) loaded.convertShape(VectorOperators.B2I, INTS, 0)).and(PixelVectors.ints(255));
    }

    static void store(IntVector values, byte[] bytes, int at) {
        ((ByteVector) values.convertShape(VectorOperators.I2B, BYTES, 0)).intoArray(bytes, at);
    }
}
