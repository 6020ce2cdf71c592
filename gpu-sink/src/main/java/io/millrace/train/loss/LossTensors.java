package io.millrace.train.loss;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.ndarray.types.SparseFormat;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.train.spec.TrainSpecException;
import java.util.Arrays;

/** Operations that several losses use. Stateless. */
public final class LossTensors {
    private LossTensors() {}

    /**
     * Returns the targets in the outputs' shape. The two shapes may differ in extents of 1 after the rows.
     *
     * @param loss the loss's name, for the message
     * @throws TrainSpecException when the shapes differ in more
     */
    public static NDArray inShapeOf(NDArray outputs, NDArray targets, String loss) {
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

    /** Returns an exception for outputs and targets whose shapes a loss cannot compare. */
    static TrainSpecException mismatch(String loss, NDArray outputs, NDArray targets) {
        return new TrainSpecException(loss + " compares outputs of " + outputs.getShape() + " with targets of "
                + targets.getShape() + ", which do not fit together: see train.model and train.target");
    }

    /**
     * Creates a number on the device and of the type of an array. A copy of a number from the host would wait for all
     * pending work of the device.
     */
    static PtNDArray number(double value, PtNDArray like) {
        return JniUtils.full(
                like.getManager(), new Shape(), value, like.getDataType(), like.getDevice(), SparseFormat.DENSE);
    }

    /** Returns the mean of losses times a number of rows, float64 []. Reads nothing. */
    static NDArray total(NDArray losses, long rows) {
        double perRow = (double) losses.size() / rows;
        return losses.toType(DataType.FLOAT64, false).sum().div(perRow);
    }

    /** Returns the number of true values, int64 []. Reads nothing. */
    static NDArray count(NDArray flags) {
        try (NDArray numbers = flags.toType(DataType.INT64, false)) {
            return numbers.sum();
        }
    }

    /** Returns a number of answers on the device of an array, int64 []. */
    static NDArray countOf(long answers, NDArray like) {
        PtNDArray array = (PtNDArray) like;
        return JniUtils.full(
                array.getManager(),
                new Shape(),
                (double) answers,
                DataType.INT64,
                array.getDevice(),
                SparseFormat.DENSE);
    }

    /** Returns the number of true values, and closes the array. */
    static long trues(NDArray flags) {
        try (flags;
                NDArray sum = count(flags)) {
            return sum.getLong();
        }
    }
}
