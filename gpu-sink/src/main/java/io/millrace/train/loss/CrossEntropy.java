package io.millrace.train.loss;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The negative logarithm of the softmax of the class's output, or of the outputs of all classes weighted by their shares: PyTorch's
 * {@code cross_entropy}.
 *
 * <p>Tested by {@code LossSumsTest}.
 *
 * @param ignored the class number that is left out, if there is one
 */
public record CrossEntropy(OptionalLong ignored) implements Loss {
    private static final String NAME = "cross_entropy";

    @Override
    public boolean takesClasses() {
        return true;
    }

    @Override
    public NDArray each(NDArray outputs, NDArray targets) {
        return negativeLogarithms(
                (PtNDArray) outputs, (PtNDArray) (leavesOut(targets) ? withoutIgnored(targets) : targets));
    }

    private static PtNDArray negativeLogarithms(PtNDArray outputs, PtNDArray targets) {
        PtNDArray logarithms = JniUtils.logSoftmax(outputs, 1, DataType.FLOAT32);
        if (targets.getDataType() != DataType.INT64) {
            requireShape(outputs.getShape(), outputs, targets);
            return JniUtils.neg(JniUtils.sum(JniUtils.mul(logarithms, targets), new long[] {1}, true));
        }
        long[] one = outputs.getShape().getShape().clone(); // getShape returns the shape's own array
        one[1] = 1;
        requireShape(new Shape(one), outputs, targets);
        return JniUtils.neg(JniUtils.gather(logarithms, targets, 1));
    }

    private static void requireShape(Shape expected, PtNDArray outputs, PtNDArray targets) {
        if (!expected.equals(targets.getShape())) {
            throw LossTensors.mismatch(NAME, outputs, targets);
        }
    }

    /** Returns whether some of the targets may be left out. */
    private boolean leavesOut(NDArray targets) {
        return ignored.isPresent() && targets.getDataType() == DataType.INT64;
    }

    /** Returns the targets with class 0 in place of the ignored class. */
    private NDArray withoutIgnored(NDArray targets) {
        return targets.mul(counted(targets).toType(DataType.INT64, false));
    }

    private NDArray counted(NDArray targets) {
        PtNDArray numbers = (PtNDArray) targets;
        return JniUtils.neq(numbers, LossTensors.number((double) ignored.orElseThrow(), numbers));
    }

    /** Returns the mean over all targets that are not left out, or 0 when all are. */
    @Override
    public NDArray mean(NDArray outputs, NDArray targets) {
        if (!leavesOut(targets)) {
            return Loss.super.mean(outputs, targets);
        }
        NDArray counted = counted(targets);
        // This method reads no values, because on a device a read waits for all pending work.
        PtNDArray sum = (PtNDArray) LossTensors.count(counted);
        NDArray divisor = JniUtils.max(sum, LossTensors.number(1, sum)).toType(DataType.FLOAT32, false);
        NDArray losses = each(outputs, targets).mul(counted.toType(DataType.FLOAT32, false));
        return losses.sum().div(divisor);
    }

    @Override
    public Weight weight(NDArray targets) {
        return leavesOut(targets)
                ? new Weight.Counted((PtNDArray) LossTensors.count(counted(targets)))
                : Loss.super.weight(targets);
    }

    @Override
    public double sum(NDArray outputs, NDArray targets) {
        return leavesOut(targets)
                ? (double) mean(outputs, targets).getFloat()
                        * outputs.getShape().get(0)
                : Loss.super.sum(outputs, targets);
    }

    @Override
    public Hits hits(NDArray outputs, NDArray targets) {
        NDArray right = right(outputs, targets);
        long answers = right.size();
        if (!leavesOut(targets)) {
            return new Hits(LossTensors.trues(right), answers);
        }
        NDArray counted = counted(targets);
        return new Hits(LossTensors.trues(right.logicalAnd(counted)), LossTensors.trues(counted));
    }

    /** Returns whether each answer is correct. */
    private static NDArray right(NDArray outputs, NDArray targets) {
        boolean shares = targets.getDataType() != DataType.INT64;
        PtNDArray expected = shares ? JniUtils.argMax((PtNDArray) targets, 1, true) : (PtNDArray) targets;
        return JniUtils.eq(JniUtils.argMax((PtNDArray) outputs, 1, true), expected);
    }

    @Override
    public Optional<Sums> sums(NDArray outputs, NDArray targets) {
        long rows = outputs.getShape().get(0);
        NDArray right = right(outputs, targets);
        if (!leavesOut(targets)) {
            return Optional.of(new Sums(
                    LossTensors.total(each(outputs, targets), rows),
                    LossTensors.count(right),
                    LossTensors.countOf(right.size(), right)));
        }
        NDArray counted = counted(targets);
        return Optional.of(new Sums(
                mean(outputs, targets).toType(DataType.FLOAT64, false).mul(rows),
                LossTensors.count(right.logicalAnd(counted)),
                LossTensors.count(counted)));
    }

    /** The choice {@code cross_entropy}. */
    public static final class Factory implements LossFactory {
        private static final Option<Long> IGNORE_INDEX = Option.of(
                        "ignore_index",
                        OptionType.LONG,
                        "A class number that the loss ignores, for example 255, which marks borders in many segmentation masks.")
                .optional();

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of(
                    "cross_entropy",
                    "CrossEntropyLoss",
                    "ce",
                    "nll",
                    "nll_loss",
                    "softmax",
                    "categorical_crossentropy",
                    "sparse_categorical_crossentropy");
        }

        @Override
        public String help() {
            return "For classes: the negative logarithm of the softmax of the label's output, averaged over the batch,"
                    + " and over the pixels of masks. Targets may be shares of classes.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(IGNORE_INDEX);
        }

        @Override
        public Loss create(OptionValues options) {
            return new CrossEntropy(
                    options.find(IGNORE_INDEX).map(OptionalLong::of).orElse(OptionalLong.empty()));
        }
    }
}
