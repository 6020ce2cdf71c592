package io.millrace.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The conversion in C, with AVX2 and FMA. Without a matrix there are only 256 results for each channel. Its divisions are
 * then multiplications with a correction, if this changes none of the results.
 */
final class NativeFloatKernel implements FloatKernel {
    private static final int BYTES = 256;

    /** The number of bytes whose constants the C code gets: a multiple of all numbers of channels. */
    private static final int GROUP = 24;

    /** The largest number of channels whose constants fit. */
    private static final int MOST_CHANNELS = 4;

    /** The largest number of bytes that pass through the memory of the kernel at once. */
    private static final int BLOCK = FloatBlock.length(1);

    private final float[] constants = new float[9 * GROUP];
    private final boolean mixes;
    private final boolean divides;
    private final boolean standardizes;
    private final boolean byInverses;

    /** The memory through which arrays pass, because the C code reads and writes direct buffers. */
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(BLOCK);

    private final FloatBuffer floats = allocate(BLOCK);

    private NativeFloatKernel(int channels, Operations operations, boolean byInverses) {
        FloatStep matrix = operations.matrix;
        FloatStep division = operations.division;
        FloatStep standard = operations.standard;
        mixes = matrix != null;
        divides = division != null;
        standardizes = standard != null;
        this.byInverses = byInverses;
        for (int i = 0; i < GROUP; i++) {
            int channel = i % channels;
            float divisor = division == null ? 1 : division.std(0);
            float deviation = standard == null ? 1 : standard.std(channel);
            constants[i] = divisor;
            constants[GROUP + i] = 1 / divisor;
            constants[2 * GROUP + i] = standard == null ? 0 : standard.mean(channel);
            constants[3 * GROUP + i] = deviation;
            constants[4 * GROUP + i] = 1 / deviation;
            for (int from = 0; matrix != null && from < channels; from++) {
                constants[(5 + from) * GROUP + i] = matrix.matrix().get(3 * channel + from);
            }
            constants[8 * GROUP + i] = matrix == null ? 0 : -matrix.mean(channel);
        }
    }

    /** Creates the kernel for a formula. Other formulas than those of the C code are computed in Java. */
    static FloatKernel of(FloatFormula formula) {
        Operations operations = new Operations();
        if (formula.channels() > MOST_CHANNELS || !formula.steps().stream().allMatch(operations::append)) {
            return new ScalarFloatKernel(formula);
        }
        if (!formula.mixes()) {
            NativeFloatKernel faster = new NativeFloatKernel(formula.channels(), operations, true);
            if (faster.isExact(formula)) {
                return faster;
            }
        }
        return new NativeFloatKernel(formula.channels(), operations, false);
    }

    /** The operations of the C code, in their order. Each of them is one step, or a part of it, or is left out. */
    private static final class Operations {
        /** A matrix with an offset. */
        private @Nullable FloatStep matrix;

        /** A division of all channels by one number. */
        private @Nullable FloatStep division;

        /** A subtraction with a division. */
        private @Nullable FloatStep standard;

        /** Adds a step after the others, if there is an operation left for it. */
        boolean append(FloatStep step) {
            if (step.mixes()) {
                boolean first = matrix == null && division == null && standard == null;
                matrix = first ? step : matrix;
                return first && (!step.divides() || append(new FloatStep(List.of(), List.of(0f), step.std())));
            }
            if (!step.subtracts() && !step.divides()) {
                return true;
            }
            if (!step.subtracts() && step.std().size() == 1 && division == null && standard == null) {
                division = step;
                return true;
            }
            boolean free = standard == null;
            standard = free ? step : standard;
            return free;
        }
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
