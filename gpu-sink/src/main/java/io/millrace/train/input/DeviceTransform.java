package io.millrace.train.input;

import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * A change of a batch of floats on the device, in place. The manager that creates the transform owns its constants.
 */
sealed interface DeviceTransform {
    /**
     * Changes the batch.
     *
     * @param batch float32, dense; the last extent is the channel
     */
    void apply(PtNDArray batch);

    /** A division by a number. */
    record Scale(PtNDArray divisor) implements DeviceTransform {
        static Scale of(float divisor, PtNDManager manager) {
            return new Scale((PtNDArray) manager.create(divisor));
        }

        @Override
        public void apply(PtNDArray batch) {
            JniUtils.divi(batch, divisor);
        }
    }

    /**
     * A subtraction of a mean followed by a division by a deviation, per channel, as in torchvision.
     *
     * <p>The constants are repeated over {@code period} values, because an inner loop over 3 channels cannot be vectorized.
     */
    record Standardize(PtNDArray mean, PtNDArray deviation, int period) implements DeviceTransform {
        static Standardize of(List<Float> mean, List<Float> deviation, int period, PtNDManager manager) {
            return new Standardize(repeated(mean, period, manager), repeated(deviation, period, manager), period);
        }

        private static PtNDArray repeated(List<Float> values, int period, PtNDManager manager) {
            float[] repeated = new float[period];
            for (int i = 0; i < period; i++) {
                repeated[i] = values.get(i % values.size());
            }
            return (PtNDArray) manager.create(repeated);
        }

        @Override
        public void apply(PtNDArray batch) {
            PtNDArray lines = JniUtils.reshape(batch, new long[] {-1, period});
            JniUtils.subi(lines, mean);
            JniUtils.divi(lines, deviation);
        }
    }

    /** A multiplication of each pixel's three channels by a matrix, and an addition of an offset. */
    record Color(PtNDArray transposed, PtNDArray offset) implements DeviceTransform {
        static Color of(List<Float> rows, List<Float> offset, PtNDManager manager) {
            ByteBuffer columns = ByteBuffer.allocateDirect(9 * Float.BYTES).order(ByteOrder.nativeOrder());
            for (int from = 0; from < 3; from++) {
                for (int to = 0; to < 3; to++) {
                    columns.putFloat(rows.get(3 * to + from));
                }
            }
            columns.rewind();
            return new Color(manager.create(columns, new Shape(3, 3), DataType.FLOAT32), (PtNDArray)
                    manager.create(new float[] {offset.get(0), offset.get(1), offset.get(2)}));
        }

        @Override
        public void apply(PtNDArray batch) {
            PtNDArray pixels = JniUtils.reshape(batch, new long[] {-1, 3});
            try (PtNDArray converted = JniUtils.matmul(pixels, transposed)) {
                JniUtils.addi(converted, offset);
                pixels.set(new NDIndex(":"), converted);
            }
        }
    }
}
