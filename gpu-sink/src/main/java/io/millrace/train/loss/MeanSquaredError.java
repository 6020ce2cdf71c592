package io.millrace.train.loss;

import ai.djl.ndarray.NDArray;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.util.List;
import java.util.Optional;

/** The squared difference between outputs and targets: PyTorch's {@code mse_loss}. */
public record MeanSquaredError() implements Loss {
    private static final String NAME = "mean_squared_error";

    @Override
    public boolean takesClasses() {
        return false;
    }

    @Override
    public NDArray each(NDArray outputs, NDArray targets) {
        NDArray expected = LossTensors.inShapeOf(outputs, targets, NAME);
        return JniUtils.square(JniUtils.sub((PtNDArray) outputs, (PtNDArray) expected));
    }

    @Override
    public Optional<Sums> sums(NDArray outputs, NDArray targets) {
        return Optional.of(new Sums(
                LossTensors.total(each(outputs, targets), outputs.getShape().get(0)), null, null));
    }

    /** The choice {@code mean_squared_error}. */
    public static final class Factory implements LossFactory {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of("mean_squared_error", "MSELoss", "mse", "mse_loss", "l2", "regression");
        }

        @Override
        public String help() {
            return "For numbers: the squared difference between the model's outputs and the target's values.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of();
        }

        @Override
        public Loss create(OptionValues options) {
            return new MeanSquaredError();
        }
    }
}
