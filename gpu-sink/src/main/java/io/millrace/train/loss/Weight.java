package io.millrace.train.loss;

import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;

/** How much a batch counts beside others whose losses are to be one mean, see {@link Loss#weight}. */
public sealed interface Weight {
    /** Of a batch without rows. */
    Weight NOTHING = new Known(0);

    /** Of a batch that is an update by itself. */
    Weight ONE = new Known(1);

    /** The number. Of what is counted on a device this waits for all that was asked of the device. */
    Known read();

    /** What {@code loss}, a number, is multiplied by: the gradient that its backward pass begins with, on its device. */
    PtNDArray gradient(PtNDArray loss);

    /** A number. */
    record Known(double value) implements Weight {
        @Override
        public Known read() {
            return this;
        }

        @Override
        public PtNDArray gradient(PtNDArray loss) {
            return Loss.number(value, loss);
        }
    }

    /**
     * What was counted where the targets are, and nobody waits for.
     *
     * @param number int64 [], of the step
     */
    record Counted(PtNDArray number) implements Weight {
        @Override
        public Known read() {
            return new Known(number.getLong());
        }

        @Override
        public PtNDArray gradient(PtNDArray loss) {
            return number.toType(DataType.FLOAT32, false);
        }
    }
}
