package io.millrace.train.input;

import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.image.FloatFormula;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;

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

    /** Returns the formula followed by this change; empty when a formula cannot express it. */
    Optional<FloatFormula> appendedTo(FloatFormula formula);

    /** A division by a number. */
    record Scale(float number, PtNDArray divisor) implements DeviceTransform {
        static Scale of(double divisor, PtNDManager manager) {
            return new Scale((float) divisor, (PtNDArray) manager.create((float) divisor));
        }

        @Override
        public void apply(PtNDArray batch) {
            JniUtils.divi(batch, divisor);
        }

        @Override
        public Optional<FloatFormula> appendedTo(FloatFormula formula) {
            return formula.divided(number);
        }
    }

    /**
     * A subtraction of a mean followed by a division by a deviation, per channel, as in torchvision.
     *
     * <p>The constants are repeated over {@code period} values, because an inner loop over 3 channels cannot be vectorized.
     */
    record Standardize(List<Float> means, List<Float> deviations, PtNDArray mean, PtNDArray deviation, int period)
            implements DeviceTransform {
        static Standardize of(List<Float> mean, List<Float> deviation, int period, PtNDManager manager) {
            return new Standardize(
                    mean, deviation, repeated(mean, period, manager), repeated(deviation, period, manager), period);
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

        @Override
        public Optional<FloatFormula> appendedTo(FloatFormula formula) {
            return formula.standardized(means, deviations);
        }
    }

    /** A multiplication of each pixel's three channels by a matrix, and an addition of an offset. */
    record Color(List<Float> matrix, List<Float> added, PtNDArray transposed, PtNDArray offset)
            implements DeviceTransform {
        static Color of(List<Float> rows, List<Float> offset, PtNDManager manager) {
            ByteBuffer columns = ByteBuffer.allocateDirect(9 * Float.BYTES).order(ByteOrder.nativeOrder());
            for (int from = 0; from < 3; from++) {
                for (int to = 0; to < 3; to++) {
                    columns.putFloat(rows.get(3 * to + from));
                }
            }
            columns.rewind();
            return new Color(rows, offset, manager.create(columns, new Shape(3, 3), DataType.FLOAT32), (PtNDArray)
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

        @Override
        public Optional<FloatFormula> appendedTo(FloatFormula formula) {
            return formula.converted(matrix, added);
        }
    }
}
