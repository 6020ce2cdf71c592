package io.millrace.image;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * With the Vector API, an incubating module: compiled apart from the rest, as {@code --release} hides it, and found by
 * {@link Kernels} by its name, as a JVM may not have it.
 */
final class VectorKernels implements Kernels {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;

    /** For {@link Kernels}, by reflection. */
    VectorKernels() {}

    @Override
    public String name() {
        return "vector";
    }

    @Override
    public ResizeKernel resize() {
        return ScalarKernels.INSTANCE.resize();
    }

    @Override
    public ColorKernel color() {
        return ScalarKernels.INSTANCE.color();
    }

    @Override
    public void mirrorColumns(byte[] pixels, int height, int width, int channels) {
        ScalarKernels.INSTANCE.mirrorColumns(pixels, height, width, channels);
    }

    /** Bytes that one vector holds. */
    static int lanes() {
        return BYTES.length();
    }
}
