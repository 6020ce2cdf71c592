package io.millrace.image;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;

/**
 * The loop that computes floats from bytes by a {@link FloatFormula}. The results of all implementations are equal to
 * the bit. Belongs to one thread.
 */
interface FloatKernel {
    /**
     * Converts the first bytes of an array.
     *
     * @param bytes an array of at least {@code count} bytes
     * @param count the number of bytes, whole pixels, at most one block of {@link FloatBlock#length}
     * @param floats an array of at least {@code count} floats for the results
     */
    void convert(byte[] bytes, int count, float[] floats);

    /**
     * Converts the first bytes of a direct buffer at once, if the kernel can.
     *
     * @param bytes a direct buffer
     * @param count the number of bytes, whole pixels
     * @param floats a direct buffer in the machine's byte order with room for {@code count} floats
     * @return whether the bytes were converted
     */
    default boolean convert(ByteBuffer bytes, int count, FloatBuffer floats) {
        return false;
    }
}
