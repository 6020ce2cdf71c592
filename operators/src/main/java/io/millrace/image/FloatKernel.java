package io.millrace.image;

/** The loop that makes floats of bytes by a {@link FloatFormula}, in twins with bit-identical results. Serves one thread. */
interface FloatKernel {
    /** At most so many bytes are converted at once: whole pixels of any number of channels. */
    int BLOCK = 1536;

    /** So many more bytes and floats than {@link #BLOCK} arrays must have: they may be read and written. */
    int REACH = 64;

    /**
     * Converts the first {@code count} bytes, whole pixels.
     *
     * @param bytes of {@code BLOCK + REACH}, those behind the count of any value
     * @param floats as many
     */
    void convert(byte[] bytes, int count, float[] floats);
}
