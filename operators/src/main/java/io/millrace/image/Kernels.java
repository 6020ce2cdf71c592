package io.millrace.image;

import io.millrace.image.codec.JpegStructure;
import io.millrace.image.codec.MarkerSearch;
import org.jspecify.annotations.Nullable;

/**
 * The most expensive loops over pixels. There are two implementations: in C and in plain Java. Their results are equal to
 * the bit. The first use chooses one of them for the whole process.
 *
 * <p>Stateless and thread-safe. Each object that the methods create belongs to one thread.
 */
interface Kernels {
    /** Returns {@code native} or {@code scalar}. */
    String name();

    /** Returns the name, with the instruction set if there are several. */
    default String description() {
        return name();
    }

    /** Creates the passes of a resize, for one thread. */
    ResizeKernel resize();

    /** Creates the changes of colour, for one thread. */
    ColorKernel color();

    /** Creates the conversion from bytes to floats by a formula, for one thread. */
    FloatKernel floats(FloatFormula formula);

    /** Swaps left and right of uint8 HWC pixels, in place. */
    void mirrorColumns(byte[] pixels, int height, int width, int channels);

    /**
     * Creates the decoder of rectangles of JPEGs, for one thread; null if OpenCV decodes whole images instead.
     *
     * @param entryPoints the memory for entry points, for a decoder that can use them
     */
    default @Nullable JpegKernel jpegs(EntryPoints entryPoints) {
        return null;
    }

    /** Returns whether the decoder of rectangles of JPEGs finds damage, see {@link JpegKernel#isDamaged}. */
    default boolean findDamage() {
        return false;
    }

    /** Returns the search for the markers of JPEGs. */
    default MarkerSearch markers() {
        return JpegStructure::nextEscape;
    }

    /** Creates the decoder of rectangles of other images, for one thread; null if other decoders decode whole images instead. */
    default @Nullable ImageKernel images() {
        return null;
    }

    /**
     * Returns the kernels of this process.
     *
     * @throws MissingKernelsException when the configuration requires kernels that this machine does not have; the
     *     message has the reason
     */
    static Kernels chosen() {
        return KernelChoice.chosen();
    }
}
