package io.millrace.image;

import jdk.incubator.vector.VectorShape;

/**
 * The kernels with the Vector API, an incubating module. They are compiled separately, because {@code --release} hides
 * the module. {@link KernelChoice} finds them by name, because a JVM may run without the module.
 */
final class VectorKernels implements Kernels {
    private static final int LEAST_BITS = 256;

    /**
     * Creates the kernels; {@link KernelChoice} calls this constructor by reflection.
     *
     * @throws UnsupportedOperationException when the machine's vectors are so short that plain Java is faster
     */
    VectorKernels() {
        int bits = VectorShape.preferredShape().vectorBitSize();
        if (bits < LEAST_BITS) {
            throw new UnsupportedOperationException("vectors have " + bits + " bits, " + LEAST_BITS + " are needed");
        }
    }

    @Override
    public String name() {
        return "vector";
    }

    @Override
    public ResizeKernel resize() {
        return new VectorResizeKernel();
    }

    @Override
    public ColorKernel color() {
        return new VectorColorKernel();
    }

    @Override
    public FloatKernel floats(FloatFormula formula) {
        return new VectorFloatKernel(formula);
    }

    @Override
    public void mirrorColumns(byte[] pixels, int height, int width, int channels) {
        if (channels == 1) {
            VectorStep.run(start -> VectorMirror.mirrorGray(pixels, height, width), 0);
        } else if (channels == 3) {
            VectorStep.run(start -> VectorMirror.mirrorColor(pixels, height, width), 0);
        } else {
            ScalarKernels.INSTANCE.mirrorColumns(pixels, height, width, channels);
        }
    }
}
