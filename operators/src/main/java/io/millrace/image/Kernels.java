package io.millrace.image;

/**
 * The loops over pixels that cost most, in twins with bit-identical results: in C, with the Vector API, and in plain
 * Java. One is chosen when the first is asked for, and serves the whole process.
 *
 * <p>Stateless, for any thread; what it makes serves one.
 */
interface Kernels {
    /** {@code native}, {@code vector} or {@code scalar}. */
    String name();

    /** The passes of a resize, for one thread. */
    ResizeKernel resize();

    /** Changes of colour, for one thread. */
    ColorKernel color();

    /** Swaps left and right of uint8 HWC pixels, in place. */
    void mirrorColumns(byte[] pixels, int height, int width, int channels);

    /** The kernels of this process. */
    static Kernels chosen() {
        return ScalarKernels.INSTANCE;
    }
}
