package io.millrace.image;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;

/**
 * Makes floats of the bytes of pixels by a {@link FloatFormula}, in one pass over memory: a block at a time goes through
 * arrays that stay in a core's nearest cache. The process's kernels do it, with the same results whichever they are.
 * Serves one thread.
 */
public final class FloatPixels {
    private final FloatKernel kernel;
    private final int channels;
    private final byte[] bytes = new byte[FloatKernel.BLOCK + FloatKernel.REACH];
    private final float[] floats = new float[bytes.length];

    /** For pixels of the formula's channels. */
    public FloatPixels(FloatFormula formula) {
        this(formula, Kernels.chosen());
    }

    FloatPixels(FloatFormula formula, Kernels kernels) {
        this.kernel = kernels.floats(formula);
        this.channels = formula.channels();
    }

    /**
     * Converts whole pixels. Positions and limits of the buffers stay.
     *
     * @param source all bytes up to its limit are converted
     * @param target as many floats are written from its beginning on
     * @throws IndexOutOfBoundsException when the target is too small
     */
    public void convert(ByteBuffer source, FloatBuffer target) {
        int end = source.limit();
        if (end % channels != 0) {
            throw new IllegalArgumentException(end + " bytes are no whole pixels of " + channels + " channels");
        }
        for (int at = 0; at < end; at += FloatKernel.BLOCK) {
            int count = Math.min(FloatKernel.BLOCK, end - at);
            source.get(at, bytes, 0, count);
            kernel.convert(bytes, count, floats);
            target.put(at, floats, 0, count);
        }
    }
}
