package io.millrace.train;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;

/** What is made small. Holds memory for the targets of one batch; belongs to one thread. */
sealed interface Loss extends AutoCloseable {
    /**
     * Makes the targets of a batch, in memory that the next call overwrites.
     *
     * @throws TrainStep.LabelOutOfRangeException when a label is not one of the model's classes
     */
    PtNDArray targets(DeviceBatch batch, PtNDManager manager);

    /** The loss of each row. */
    PtNDArray rows(PtNDArray outputs, PtNDArray targets);

    /** Rows whose largest output is the label's, or -1 where the loss knows no classes. */
    long correct(PtNDArray outputs, DeviceBatch batch);

    @Override
    void close();

    /** Minus the logarithm of the softmax of the label's output: PyTorch's {@code cross_entropy}. */
    final class CrossEntropy implements Loss {
        private final int classes;
        private final AlignedMemory labels;

        CrossEntropy(int classes, int capacity) {
            this.classes = classes;
            this.labels = AlignedMemory.allocate((long) capacity * Long.BYTES, "the labels");
        }

        @Override
        public PtNDArray targets(DeviceBatch batch, PtNDManager manager) {
            int rows = batch.rows();
            var memory = labels.slice(0, rows * Long.BYTES);
            for (int row = 0; row < rows; row++) {
                long label = batch.label(row);
                if (label < 0 || label >= classes) {
                    throw new TrainStep.LabelOutOfRangeException(batch.split(), batch.index(row), label, classes);
                }
                memory.putLong(row * Long.BYTES, label);
            }
            return manager.create(memory, new Shape(rows, 1), DataType.INT64);
        }

        @Override
        public PtNDArray rows(PtNDArray outputs, PtNDArray targets) {
            return JniUtils.neg(JniUtils.gather(JniUtils.logSoftmax(outputs, 1, DataType.FLOAT32), targets, 1));
        }

        @Override
        public long correct(PtNDArray outputs, DeviceBatch batch) {
            long[] largest;
            try (NDArray classesFound = JniUtils.argMax(outputs, 1, false)) {
                largest = classesFound.toLongArray();
            }
            long correct = 0;
            for (int row = 0; row < largest.length; row++) {
                if (largest[row] == batch.label(row)) {
                    correct++;
                }
            }
            return correct;
        }

        @Override
        public void close() {
            labels.close();
        }
    }

    /** The squared difference between a model's only output and the label's value: PyTorch's {@code mse_loss}. */
    final class MeanSquaredError implements Loss {
        private final AlignedMemory values;

        MeanSquaredError(int capacity) {
            this.values = AlignedMemory.allocate((long) capacity * Float.BYTES, "the labels");
        }

        @Override
        public PtNDArray targets(DeviceBatch batch, PtNDManager manager) {
            int rows = batch.rows();
            var memory = values.slice(0, rows * Float.BYTES);
            for (int row = 0; row < rows; row++) {
                memory.putFloat(row * Float.BYTES, (float) batch.label(row));
            }
            return manager.create(memory, new Shape(rows, 1), DataType.FLOAT32);
        }

        @Override
        public PtNDArray rows(PtNDArray outputs, PtNDArray targets) {
            return JniUtils.square(JniUtils.sub(outputs, targets));
        }

        @Override
        public long correct(PtNDArray outputs, DeviceBatch batch) {
            return -1;
        }

        @Override
        public void close() {
            values.close();
        }
    }
}
