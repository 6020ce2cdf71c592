package io.millrace.train.loss;

import ai.djl.ndarray.NDArray;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.util.List;
import java.util.Optional;

/**
 * A loss for outputs that are independent decisions between yes and no: PyTorch's {@code
 * binary_cross_entropy_with_logits}.
 */
public record BinaryCrossEntropy() implements Loss {
    private static final String NAME = "binary_cross_entropy";

    @Override
    public boolean takesClasses() {
        return false;
    }

    /** Returns {@code (1 - target) x - log(sigmoid(x))}, PyTorch's own formula. */
    @Override
    public NDArray each(NDArray outputs, NDArray targets) {
        PtNDArray found = (PtNDArray) outputs;
        PtNDArray expected = (PtNDArray) LossTensors.inShapeOf(outputs, targets, NAME);
        PtNDArray zeros = JniUtils.sub(LossTensors.number(1, expected), expected);
        return JniUtils.add(JniUtils.mul(zeros, found), JniUtils.softPlus(JniUtils.neg(found)));
    }

    @Override
    public Hits hits(NDArray outputs, NDArray targets) {
        return new Hits(LossTensors.trues(correct(outputs, targets)), outputs.size());
    }

    private static NDArray correct(NDArray outputs, NDArray targets) {
        NDArray expected = LossTensors.inShapeOf(outputs, targets, NAME);
        return outputs.gt(0).eq(expected.gt(0.5f));
    }

    @Override
    public Optional<Sums> sums(NDArray outputs, NDArray targets) {
        return Optional.of(new Sums(
                LossTensors.total(each(outputs, targets), outputs.getShape().get(0)),
                LossTensors.count(correct(outputs, targets)),
                LossTensors.countOf(outputs.size(), outputs)));
    }

    /** The choice {@code binary_cross_entropy}. */
    public static final class Factory implements LossFactory {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of(
                    "binary_cross_entropy", "BCELoss", "bce", "BCEWithLogitsLoss", "bce_with_logits", "sigmoid");
        }

        @Override
        public String help() {
            return "For outputs that are independent decisions between yes and no: multi-label targets, and binary"
                    + " masks of 0 and 1. The outputs of the model are logits.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of();
        }

        @Override
        public Loss create(OptionValues options) {
            return new BinaryCrossEntropy();
        }
    }
}
