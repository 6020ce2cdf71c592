package io.millrace.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Objects;

/**
 * The conversion of pixels from bytes to floats by a {@link FloatFormula}, in one pass over memory, and the same change of pixels
 * that are floats. The native kernels convert direct buffers at once. In the other cases each block goes through arrays that stay
 * in a core's first-level cache. All kernels have the same results. Belongs to one thread.
 */
public final class FloatPixels {
    private final FloatKernel kernel;
    private final FloatBlock block;
    private final int channels;
    private final byte[] bytes;
    private final float[] floats;

    /** Creates the conversion of pixels that have the formula's number of channels. */
    public FloatPixels(FloatFormula formula) {
        this(formula, Kernels.chosen());
    }

    FloatPixels(FloatFormula formula, Kernels kernels) {
        this.kernel = kernels.floats(formula);
        this.block = new FloatBlock(formula);
        this.channels = formula.channels();
        this.bytes = new byte[FloatBlock.length(channels)];
        this.floats = new float[bytes.length];
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
        requirePixels(end, "bytes");
        Objects.checkFromIndexSize(0, end, target.limit());
        if (source.isDirect()
                && target.isDirect()
                && target.order() == ByteOrder.nativeOrder()
                && kernel.convert(source, end, target)) {
            return;
        }
        for (int at = 0; at < end; at += bytes.length) {
            int count = Math.min(bytes.length, end - at);
            source.get(at, bytes, 0, count);
            kernel.convert(bytes, count, floats);
            target.put(at, floats, 0, count);
        }
    }

    /** Changes whole pixels of floats in place, up to the limit of the buffer. Its position and its limit stay unchanged. */
    public void change(FloatBuffer values) {
        int end = values.limit();
        requirePixels(end, "floats");
        for (int at = 0; at < end; at += floats.length) {
            int count = Math.min(floats.length, end - at);
            values.get(at, floats, 0, count);
            block.change(floats, count);
            values.put(at, floats, 0, count);
        }
    }

    private void requirePixels(int count, String what) {
        if (count % channels != 0) {
            throw new IllegalArgumentException(
                    "expected whole pixels of " + channels + " channels, found " + count + " " + what);
        }
    }
}
