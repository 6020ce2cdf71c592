package io.millrace.image;

/**
 * The two passes of a resize. The results of all implementations are equal to the bit. Belongs to one thread, because
 * it keeps scratch rows.
 *
 * <p>The arithmetic is Pillow's: a horizontal pass rounded to bytes, {@code (2^21 + sum(pixel * weight)) >> 22} clamped
 * to 0 to 255, and a vertical pass of the same kind over its rows.
 */
interface ResizeKernel {
    /**
     * Resizes a crop that is {@code down.in} rows high and {@code across.in} pixels wide.
     *
     * @param pixels uint8 HWC
     * @param corner the index of the crop's first byte
     * @param stride the bytes from one row of {@code pixels} to the next
     * @param channels 1 or 3
     * @param across the weights along a row
     * @param down the weights along a column
     * @param overshoots whether a sum of weighted pixels may leave 0 to 255
     * @param result an array of {@code down.out * across.out * channels} bytes, HWC; not {@code pixels}
     */
    void resize(
            byte[] pixels,
            int corner,
            int stride,
            int channels,
            ResampleTable across,
            ResampleTable down,
            Overshoot overshoots,
            byte[] result);

    /** The passes whose sums must be clamped. */
    record Overshoot(boolean across, boolean down) {}
}
