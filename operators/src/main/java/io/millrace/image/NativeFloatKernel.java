package io.millrace.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * The conversion of direct buffers in C. Its divisions are multiplications with a correction, which are used only if
 * they do not change any of the 256 results of each channel. Another kernel converts arrays.
 */
final class NativeFloatKernel implements FloatKernel {
    private static final int BYTES = 256;

    /** The number of bytes whose constants the C code gets: a multiple of all numbers of channels. */
    private static final int GROUP = 24;

    private final FloatKernel arrays;
    private final float[] constants = new float[5 * GROUP];
    private final boolean divides;
    private final boolean standardizes;

    private NativeFloatKernel(FloatFormula formula, FloatKernel arrays) {
        this.arrays = arrays;
        divides = formula.divisor() != 1;
        standardizes = formula.standardizes();
        for (int i = 0; i < GROUP; i++) {
            float mean = formula.mean().get(i % formula.channels());
            float deviation = formula.deviation().get(i % formula.channels());
            constants[i] = formula.divisor();
            constants[GROUP + i] = 1 / formula.divisor();
            constants[2 * GROUP + i] = mean;
            constants[3 * GROUP + i] = deviation;
            constants[4 * GROUP + i] = 1 / deviation;
        }
    }

    /**
     * Creates the kernel for a formula without a matrix, or returns {@code arrays} where the C code would round
     * differently.
     *
     * @param arrays the kernel that converts arrays by the same formula
     */
    static FloatKernel of(FloatFormula formula, FloatKernel arrays) {
        NativeFloatKernel kernel = new NativeFloatKernel(formula, arrays);
        return kernel.isExact(formula) ? kernel : arrays;
    }

    private boolean isExact(FloatFormula formula) {
        int channels = formula.channels();
        int count = BYTES * channels;
        ByteBuffer bytes = ByteBuffer.allocateDirect(count);
        FloatBuffer found = ByteBuffer.allocateDirect(count * Float.BYTES)
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer();
        byte[] block = new byte[BLOCK + REACH];
        for (int i = 0; i < count; i++) {
            block[i] = (byte) (i / channels);
            bytes.put(i, block[i]);
        }
        float[] exact = new float[block.length];
        new ScalarFloatKernel(formula).convert(block, count, exact);
        convert(bytes, count, found);
        for (int i = 0; i < count; i++) {
            if (Float.floatToRawIntBits(found.get(i)) != Float.floatToRawIntBits(exact[i])) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void convert(byte[] bytes, int count, float[] floats) {
        arrays.convert(bytes, count, floats);
    }

    @Override
    public boolean convert(ByteBuffer bytes, int count, FloatBuffer floats) {
        NativeCode.floats(constants, divides, standardizes, bytes, floats, count);
        return true;
    }
}
