package io.millrace.image;

import io.millrace.image.codec.MarkerSearch;
import org.jspecify.annotations.Nullable;

/**
 * Kernels in C. They resize, change colours, and decode only the necessary part of JPEGs. With AVX2, they also mirror
 * images and convert bytes to floats, and their own decoder decodes the usual JPEGs. libjpeg-turbo decodes the rest, and
 * OpenCV if the build has no libjpeg-turbo. libdeflate decompresses PNGs; a decoder in Java decodes them if the build
 * has no libdeflate. Plain Java does the other operations.
 */
final class NativeKernels implements Kernels {
    private final Instructions instructions;

    /** The instruction set for which the C code is compiled. */
    enum Instructions {
        AVX2,
        PLAIN
    }

    private NativeKernels(Instructions instructions) {
        this.instructions = instructions;
    }

    /** Returns the reason why {@link #best} cannot be called, or null if it can be called. */
    static @Nullable String obstacle() {
        return NativeCode.obstacle();
    }

    /** Returns the kernels with the best instructions of this CPU. */
    static NativeKernels best() {
        return new NativeKernels(NativeCode.hasAvx2() ? Instructions.AVX2 : Instructions.PLAIN);
    }

    /** Returns the kernels in plain C, which CPUs without AVX2 use. */
    static NativeKernels plain() {
        return new NativeKernels(Instructions.PLAIN);
    }

    @Override
    public String name() {
        return "native";
    }

    @Override
    public String description() {
        StringBuilder text = new StringBuilder("native (");
        text.append(instructions == Instructions.AVX2 ? "AVX2" : "plain C");
        text.append(NativeCode.hasLibjpeg() ? "" : ", without libjpeg-turbo");
        return text.append(NativeImages.hasPngs() ? "" : ", without libdeflate")
                .append(")")
                .toString();
    }

    @Override
    public String toString() {
        return description();
    }

    @Override
    public ResizeKernel resize() {
        return workspace(EntryPoints.OFF);
    }

    @Override
    public @Nullable JpegKernel jpegs(EntryPoints entryPoints) {
        return instructions == Instructions.AVX2 || NativeCode.hasLibjpeg() ? workspace(entryPoints) : null;
    }

    @Override
    public boolean findDamage() {
        return instructions == Instructions.AVX2;
    }

    @Override
    public MarkerSearch markers() {
        return instructions == Instructions.AVX2 ? NativeCode::nextMarker : Kernels.super.markers();
    }

    @Override
    public @Nullable ImageKernel images() {
        return NativeImages.create();
    }

    private NativeWorkspace workspace(EntryPoints entryPoints) {
        return instructions == Instructions.AVX2 ? NativeWorkspace.vectorized(entryPoints) : NativeWorkspace.plain();
    }

    @Override
    public ColorKernel color() {
        return new NativeColorKernel(instructions == Instructions.AVX2);
    }

    @Override
    public FloatKernel floats(FloatFormula formula) {
        return instructions == Instructions.AVX2
                ? NativeFloatKernel.of(formula)
                : ScalarKernels.INSTANCE.floats(formula);
    }

    @Override
    public void mirrorColumns(byte[] pixels, int height, int width, int channels) {
        if (instructions == Instructions.AVX2 && (channels == 1 || channels == 3)) {
            NativeCode.mirror(pixels, height, width, channels);
        } else {
            ScalarKernels.INSTANCE.mirrorColumns(pixels, height, width, channels);
        }
    }
}
