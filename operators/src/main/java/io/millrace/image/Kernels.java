package io.millrace.image;

import org.jspecify.annotations.Nullable;

/**
 * The loops over pixels that cost most, in twins with bit-identical results: in C, with the Vector API, and in plain
 * Java. One is chosen when the first is asked for, and serves the whole process.
 *
 * <p>Stateless, for any thread; what it makes serves one.
 */
interface Kernels {
    /** {@code native}, {@code vector} or {@code scalar}. */
    String name();

    /** What people are told: the name, and the instructions used where that varies. */
    default String description() {
        return name();
    }

    /** The passes of a resize, for one thread. */
    ResizeKernel resize();

    /** Changes of colour, for one thread. */
    ColorKernel color();

    /** What makes floats of bytes by a formula, for one thread. */
    FloatKernel floats(FloatFormula formula);

    /** Swaps left and right of uint8 HWC pixels, in place. */
    void mirrorColumns(byte[] pixels, int height, int width, int channels);

    /** What decodes rectangles of JPEGs, for one thread; null where only OpenCV decodes, and that the whole. */
    default @Nullable JpegKernel jpegs() {
        return null;
    }

    /**
     * The kernels of this process.
     *
     * @throws MissingKernelsException when others were asked for than there are, with the reason
     */
    static Kernels chosen() {
        return KernelChoice.chosen();
    }
}
