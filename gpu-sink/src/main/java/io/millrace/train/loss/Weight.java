package io.millrace.train.loss;

import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;

/** The weight of a batch among others that make one update together, see {@link Loss#weight}. */
public sealed interface Weight {
    /** The weight of a batch without rows. */
    Weight NOTHING = new Known(0);

    /** The weight of a batch that is an update by itself. */
    Weight ONE = new Known(1);

    /** Returns the number. If the device counted it, this waits for all pending work of the device. */
    Known read();

    /**
     * Returns the factor of the loss as a tensor on the loss's device. The backward pass begins with it.
     *
     * @param loss one number
     */
    PtNDArray gradient(PtNDArray loss);

    /** A weight that is a number on the host. */
    record Known(double value) implements Weight {
        @Override
        public Known read() {
            return this;
        }

        @Override
        public PtNDArray gradient(PtNDArray loss) {
            return LossTensors.number(value, loss);
        }
    }

    /**
     * A weight that the device of the targets counts, without a wait of the host.
     *
     * @param number int64 [], which lives as long as the step
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
