package io.millrace.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * The conversion in C, with AVX2 and FMA. Without a matrix there are only 256 results for each channel. Its divisions are
 * then multiplications with a correction, if this changes none of the results.
 */
final class NativeFloatKernel implements FloatKernel {
    private static final int BYTES = 256;

    /** The number of bytes whose constants the C code gets: a multiple of all numbers of channels. */
    private static final int GROUP = 24;

    private final float[] constants = new float[9 * GROUP];
    private final boolean mixes;
    private final boolean divides;
    private final boolean standardizes;
    private final boolean byInverses;

    /** The memory through which arrays pass, because the C code reads and writes direct buffers. */
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(BLOCK);

    private final FloatBuffer floats = allocate(BLOCK);

    private NativeFloatKernel(FloatFormula formula, boolean byInverses) {
        mixes = !formula.rows().isEmpty();
        divides = formula.divisor() != 1;
        standardizes = formula.standardizes();
        this.byInverses = byInverses;
        for (int i = 0; i < GROUP; i++) {
            int channel = i % formula.channels();
            float deviation = formula.deviation().get(channel);
            constants[i] = formula.divisor();
            constants[GROUP + i] = 1 / formula.divisor();
            constants[2 * GROUP + i] = formula.mean().get(channel);
            constants[3 * GROUP + i] = deviation;
            constants[4 * GROUP + i] = 1 / deviation;
            for (int from = 0; mixes && from < formula.channels(); from++) {
                constants[(5 + from) * GROUP + i] = formula.rows().get(3 * channel + from);
            }
            constants[8 * GROUP + i] = mixes ? formula.offset().get(channel) : 0;
        }
    }

    /** Creates the kernel for a formula. */
    static NativeFloatKernel of(FloatFormula formula) {
        NativeFloatKernel faster = new NativeFloatKernel(formula, formula.rows().isEmpty());
        return !faster.byInverses || faster.isExact(formula) ? faster : new NativeFloatKernel(formula, false);
    }

    private static FloatBuffer allocate(int count) {
        return ByteBuffer.allocateDirect(count * Float.BYTES)
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer();
    }

    private boolean isExact(FloatFormula formula) {
        int channels = formula.channels();
        byte[] every = new byte[BYTES * channels];
        for (int i = 0; i < every.length; i++) {
            every[i] = (byte) (i / channels);
        }
        float[] exact = new float[every.length];
        float[] found = new float[every.length];
        new ScalarFloatKernel(formula).convert(every, every.length, exact);
        convert(every, every.length, found);
        for (int i = 0; i < every.length; i++) {
            if (Float.floatToRawIntBits(found[i]) != Float.floatToRawIntBits(exact[i])) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void convert(byte[] source, int count, float[] target) {
        bytes.put(0, source, 0, count);
        convert(bytes, count, floats);
        floats.get(0, target, 0, count);
    }

    @Override
    public boolean convert(ByteBuffer source, int count, FloatBuffer target) {
        NativeCode.floats(constants, mixes, divides, standardizes, byInverses, source, target, count);
        return true;
    }
}
