package io.millrace.train.loss;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.ndarray.types.SparseFormat;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.train.input.Targets;
import io.millrace.train.spec.TrainSpecException;
import java.util.Arrays;
import java.util.OptionalLong;

/** What is made small: compares the model's outputs with {@link Targets}. Stateless. */
public sealed interface Loss {
    /** Whether whole numbers are classes to it, rather than values. */
    boolean takesClasses();

    /** A class number that is left out. */
    default OptionalLong ignored() {
        return OptionalLong.empty();
    }

    /** The loss of each row, pixel or entry. */
    PtNDArray each(PtNDArray outputs, PtNDArray targets);

    /** The mean of {@link #each}, which training makes small. */
    default PtNDArray mean(PtNDArray outputs, PtNDArray targets) {
        return JniUtils.mean(each(outputs, targets));
    }

    /**
     * How much a batch counts beside others whose losses are to be one mean: what {@link #mean} divides by, its rows, or what
     * is not ignored in them, which is counted where the targets are.
     */
    default Weight weight(PtNDArray targets) {
        return new Weight.Known(targets.getShape().get(0));
    }

    /** The mean loss of a row, summed over the rows. */
    default double sum(PtNDArray outputs, PtNDArray targets) {
        float[] losses = each(outputs, targets).toFloatArray();
        double sum = 0;
        for (float value : losses) {
            sum += value;
        }
        long rows = outputs.getShape().get(0);
        return sum / ((double) losses.length / rows);
    }

    /** What the largest outputs have right. */
    Hits hits(PtNDArray outputs, PtNDArray targets);

    /**
     * Right answers.
     *
     * @param correct -1 where a loss knows none
     */
    record Hits(long correct, long counted) {}

    private static TrainSpecException mismatch(String loss, PtNDArray outputs, PtNDArray targets) {
        return new TrainSpecException(loss + " compares outputs of " + outputs.getShape() + " with targets of "
                + targets.getShape() + ", which do not go together: see train.model and train.target");
    }

    /** A number made on the device of an array, of its type: to bring one there waits for all that was asked of the device. */
    static PtNDArray number(double value, PtNDArray like) {
        return JniUtils.full(
                like.getManager(), new Shape(), value, like.getDataType(), like.getDevice(), SparseFormat.DENSE);
    }

    private static long trues(NDArray flags) {
        try (flags;
                NDArray numbers = flags.toType(DataType.INT64, false);
                NDArray sum = numbers.sum()) {
            return sum.getLong();
        }
    }

    /**
     * Minus the logarithm of the softmax of the class's output, or of all classes by their shares: PyTorch's
     * {@code cross_entropy}.
     */
    record CrossEntropy(OptionalLong ignored) implements Loss {
        @Override
        public boolean takesClasses() {
            return true;
        }

        @Override
        public PtNDArray each(PtNDArray outputs, PtNDArray targets) {
            return picked(outputs, ignored.isPresent() ? known(targets) : targets);
        }

        private PtNDArray picked(PtNDArray outputs, PtNDArray targets) {
            PtNDArray logarithms = JniUtils.logSoftmax(outputs, 1, DataType.FLOAT32);
            if (targets.getDataType() != DataType.INT64) {
                requireSame(outputs.getShape(), outputs, targets);
                return JniUtils.neg(JniUtils.sum(JniUtils.mul(logarithms, targets), new long[] {1}, true));
            }
            long[] one = outputs.getShape().getShape().clone(); // the array is the shape's own
            one[1] = 1;
            requireSame(new Shape(one), outputs, targets);
            return JniUtils.neg(JniUtils.gather(logarithms, targets, 1));
        }

        private static void requireSame(Shape expected, PtNDArray outputs, PtNDArray targets) {
            if (!expected.equals(targets.getShape())) {
                throw mismatch("cross_entropy", outputs, targets);
            }
        }

        /** Class 0 in place of what is ignored. */
        private PtNDArray known(PtNDArray targets) {
            return targets.mul(counted(targets).toType(DataType.INT64, false));
        }

        private NDArray counted(PtNDArray targets) {
            return JniUtils.neq(targets, number((double) ignored.orElseThrow(), targets));
        }

        /** Over what is not ignored; 0 where all is. */
        @Override
        public PtNDArray mean(PtNDArray outputs, PtNDArray targets) {
            if (ignored.isEmpty() || targets.getDataType() != DataType.INT64) {
                return Loss.super.mean(outputs, targets);
            }
            NDArray counted = counted(targets);
            // Nothing is read here: on a device that would wait for all that was asked of it.
            PtNDArray sum = many(counted);
            NDArray many = JniUtils.max(sum, number(1, sum)).toType(DataType.FLOAT32, false);
            NDArray losses = each(outputs, targets).mul(counted.toType(DataType.FLOAT32, false));
            return (PtNDArray) losses.sum().div(many);
        }

        private static PtNDArray many(NDArray counted) {
            return (PtNDArray) counted.toType(DataType.INT64, false).sum();
        }

        @Override
        public Weight weight(PtNDArray targets) {
            return ignored.isEmpty() || targets.getDataType() != DataType.INT64
                    ? Loss.super.weight(targets)
                    : new Weight.Counted(many(counted(targets)));
        }

        @Override
        public double sum(PtNDArray outputs, PtNDArray targets) {
            return ignored.isEmpty() || targets.getDataType() != DataType.INT64
                    ? Loss.super.sum(outputs, targets)
                    : (double) mean(outputs, targets).getFloat()
                            * outputs.getShape().get(0);
        }

        @Override
        public Hits hits(PtNDArray outputs, PtNDArray targets) {
            boolean shares = targets.getDataType() != DataType.INT64;
            PtNDArray expected = shares ? JniUtils.argMax(targets, 1, true) : targets;
            PtNDArray found = JniUtils.argMax(outputs, 1, true);
            NDArray right = JniUtils.eq(found, expected);
            if (ignored.isEmpty() || shares) {
                return new Hits(trues(right), found.size());
            }
            NDArray counted = counted(targets);
            return new Hits(trues(right.logicalAnd(counted)), trues(counted));
        }
    }

    /** For outputs that are each yes or no: PyTorch's {@code binary_cross_entropy_with_logits}. */
    record BinaryCrossEntropy() implements Loss {
        @Override
        public boolean takesClasses() {
            return false;
        }

        /** {@code (1 - target) x - log(sigmoid(x))}, PyTorch's own formula. */
        @Override
        public PtNDArray each(PtNDArray outputs, PtNDArray targets) {
            PtNDArray expected = alike("binary_cross_entropy", outputs, targets);
            PtNDArray zeros = JniUtils.sub(number(1, expected), expected);
            return JniUtils.add(JniUtils.mul(zeros, outputs), JniUtils.softPlus(JniUtils.neg(outputs)));
        }

        @Override
        public Hits hits(PtNDArray outputs, PtNDArray targets) {
            PtNDArray expected = alike("binary_cross_entropy", outputs, targets);
            return new Hits(trues(outputs.gt(0).eq(expected.gt(0.5f))), outputs.size());
        }
    }

    /** The squared difference between outputs and targets: PyTorch's {@code mse_loss}. */
    record MeanSquaredError() implements Loss {
        @Override
        public boolean takesClasses() {
            return false;
        }

        @Override
        public PtNDArray each(PtNDArray outputs, PtNDArray targets) {
            return JniUtils.square(JniUtils.sub(outputs, alike("mean_squared_error", outputs, targets)));
        }

        @Override
        public Hits hits(PtNDArray outputs, PtNDArray targets) {
            return new Hits(-1, 0);
        }
    }

    /** The targets in the outputs' shape, from which they may differ by extents of 1 behind the rows. */
    private static PtNDArray alike(String loss, PtNDArray outputs, PtNDArray targets) {
        if (outputs.getShape().equals(targets.getShape())) {
            return targets;
        }
        if (!withoutOnes(outputs.getShape()).equals(withoutOnes(targets.getShape()))) {
            throw mismatch(loss, outputs, targets);
        }
        return targets.reshape(outputs.getShape());
    }

    private static Shape withoutOnes(Shape shape) {
        long rows = shape.get(0);
        long[] rest =
                Arrays.stream(shape.getShape()).skip(1).filter(e -> e != 1).toArray();
        return new Shape(rows).addAll(new Shape(rest));
    }
}
