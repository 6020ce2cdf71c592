package io.millrace.train.input;

import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.image.FloatStep;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@link FloatStep} of a batch of floats on the engine's device. The manager that creates the step owns its constants.
 *
 * <p>Constants for each channel are repeated over a line of pixels, because an inner loop over 3 channels cannot be vectorized.
 *
 * <p>Tested by {@code DeviceTransformsTest} and {@code PictureTransformsContract}.
 *
 * @param columns the columns of the matrix, [3, 3]; null without a matrix
 * @param offset the numbers that are added after the matrix, [3]; null without a matrix
 * @param mean the numbers that are subtracted without a matrix; null if they change nothing
 * @param std the divisors; null if they change nothing
 * @param line the number of values over which the constants are repeated
 */
record TensorStep(
        @Nullable PtNDArray columns,
        @Nullable PtNDArray offset,
        @Nullable PtNDArray mean,
        @Nullable PtNDArray std,
        int line) {
    /** Returns a step of rows of a shape, whose last extent is the channel. */
    static TensorStep of(FloatStep step, List<Integer> shape, PtNDManager manager) {
        int channels = shape.isEmpty() ? 1 : shape.get(shape.size() - 1);
        int line = shape.size() < 2 ? channels : channels * shape.get(shape.size() - 2);
        PtNDArray std = step.divides() ? repeated(step.std(), line, manager) : null;
        if (step.mixes()) {
            return new TensorStep(
                    columns(step.matrix(), manager), (PtNDArray) manager.create(offset(step)), null, std, line);
        }
        return new TensorStep(null, null, step.subtracts() ? repeated(step.mean(), line, manager) : null, std, line);
    }

    private static PtNDArray repeated(List<Float> numbers, int line, PtNDManager manager) {
        if (numbers.size() == 1) {
            return (PtNDArray) manager.create(numbers.get(0));
        }
        float[] repeated = new float[line];
        for (int i = 0; i < line; i++) {
            repeated[i] = numbers.get(i % numbers.size());
        }
        return (PtNDArray) manager.create(repeated);
    }

    private static PtNDArray columns(List<Float> rows, PtNDManager manager) {
        ByteBuffer columns =
                ByteBuffer.allocateDirect(rows.size() * Float.BYTES).order(ByteOrder.nativeOrder());
        for (int from = 0; from < FloatStep.MIXED; from++) {
            for (int to = 0; to < FloatStep.MIXED; to++) {
                columns.putFloat(rows.get(FloatStep.MIXED * to + from));
            }
        }
        columns.rewind();
        return manager.create(columns, new Shape(FloatStep.MIXED, FloatStep.MIXED), DataType.FLOAT32);
    }

    private static float[] offset(FloatStep step) {
        float[] offset = new float[FloatStep.MIXED];
        for (int channel = 0; channel < offset.length; channel++) {
            offset[channel] = -step.mean(channel);
        }
        return offset;
    }

    /**
     * Changes a batch: in place, or into a new array, and then the batch is closed.
     *
     * @param batch float32, dense; the last extent is the channel
     * @return the changed batch
     */
    PtNDArray apply(PtNDArray batch, DeviceOps ops, PtNDManager manager) {
        PtNDArray made = batch;
        if (columns != null && offset != null) {
            made = ops.convertColor(batch, columns, offset, manager);
            batch.close();
        }
        PtNDArray lines = JniUtils.reshape(made, new long[] {-1, line});
        if (mean != null) {
            JniUtils.subi(lines, mean);
        }
        if (std != null) {
            JniUtils.divi(lines, std);
        }
        return made;
    }
}
