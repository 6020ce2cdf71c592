package io.millrace.image;

import org.jspecify.annotations.Nullable;

/**
 * In C over libjpeg-turbo: JPEGs are decoded only where they are needed, and resized in the same call. What C does no
 * faster is done by the best Java kernels.
 */
final class NativeKernels implements Kernels {
    private final Instructions instructions;
    private final Kernels rest;

    /** What the C code is compiled for. */
    enum Instructions {
        AVX2,
        PLAIN
    }

    private NativeKernels(Instructions instructions, Kernels rest) {
        this.instructions = instructions;
        this.rest = rest;
    }

    /** Why {@link #best} cannot be called, or null where it can. */
    static @Nullable String obstacle() {
        return NativeCode.obstacle();
    }

    /** With the best instructions that this processor has. */
    static NativeKernels best(Kernels rest) {
        return new NativeKernels(NativeCode.hasAvx2() ? Instructions.AVX2 : Instructions.PLAIN, rest);
    }

    /** In plain C, as other processors run it. */
    static NativeKernels plain(Kernels rest) {
        return new NativeKernels(Instructions.PLAIN, rest);
    }

    @Override
    public String name() {
        return "native";
    }

    @Override
    public String description() {
        return instructions == Instructions.AVX2 ? "native (AVX2)" : "native (plain C)";
    }

    @Override
    public String toString() {
        return description();
    }

    @Override
    public ResizeKernel resize() {
        return workspace();
    }

    @Override
    public JpegKernel jpegs() {
        return workspace();
    }

    private NativeWorkspace workspace() {
        return instructions == Instructions.AVX2 ? NativeWorkspace.vectorized() : NativeWorkspace.plain();
    }

    @Override
    public ColorKernel color() {
        return rest.color();
    }

    @Override
    public FloatKernel floats(FloatFormula formula) {
        return rest.floats(formula);
    }

    @Override
    public void mirrorColumns(byte[] pixels, int height, int width, int channels) {
        rest.mirrorColumns(pixels, height, width, channels);
    }
}
