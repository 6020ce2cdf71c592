package io.millrace.image;

/**
 * The loop that computes floats from bytes by a {@link FloatFormula}. All implementations have results that are equal
 * to the bit. Serves one thread.
 */
interface FloatKernel {
    /** The largest number of bytes that are converted at once: whole pixels for any number of channels. */
    int BLOCK = 1536;

    /**
     * The number of further bytes and floats that arrays have behind {@link #BLOCK}, because they may be read and
     * written.
     */
    int REACH = 64;

    /**
     * Converts the first bytes of an array.
     *
     * @param bytes an array of {@code BLOCK + REACH} bytes; those behind {@code count} may have any value
     * @param count the number of bytes, whole pixels
     * @param floats an array of {@code BLOCK + REACH} floats for the results
     */
    void convert(byte[] bytes, int count, float[] floats);
}
