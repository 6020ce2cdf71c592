package io.millrace.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Objects;

/**
 * The conversion of pixels from bytes to floats by a {@link FloatFormula}, in one pass over memory. The native
 * kernels convert direct buffers at once. In the other cases each block goes through arrays that stay in a core's
 * first-level cache. All kernels have the same results. Belongs to one thread.
 */
public final class FloatPixels {
    private final FloatKernel kernel;
    private final int channels;
    private final byte[] bytes = new byte[FloatKernel.BLOCK];
    private final float[] floats = new float[FloatKernel.BLOCK];

    /** Creates the conversion of pixels that have the formula's number of channels. */
    public FloatPixels(FloatFormula formula) {
        this(formula, Kernels.chosen());
    }

    FloatPixels(FloatFormula formula, Kernels kernels) {
        this.kernel = kernels.floats(formula);
        this.channels = formula.channels();
    }

    /**
     * Converts whole pixels. The positions and limits of the buffers stay unchanged.
     *
     * @param source the bytes, which are converted up to the limit
     * @param target the floats, written from the beginning of the buffer on
     * @throws IndexOutOfBoundsException when the target is too small
     */
    public void convert(ByteBuffer source, FloatBuffer target) {
        int end = source.limit();
        if (end % channels != 0) {
            throw new IllegalArgumentException(
                    "expected whole pixels of " + channels + " channels, found " + end + " bytes");
        }
        Objects.checkFromIndexSize(0, end, target.limit());
        if (source.isDirect()
                && target.isDirect()
                && target.order() == ByteOrder.nativeOrder()
                && kernel.convert(source, end, target)) {
            return;
        }
        for (int at = 0; at < end; at += FloatKernel.BLOCK) {
            int count = Math.min(FloatKernel.BLOCK, end - at);
            source.get(at, bytes, 0, count);
            kernel.convert(bytes, count, floats);
            target.put(at, floats, 0, count);
        }
    }
}
