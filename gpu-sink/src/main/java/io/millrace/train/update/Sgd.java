package io.millrace.train.update;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;

/** The optimizer {@code sgd}, with PyTorch's formula, option defaults and results. */
public final class Sgd implements OptimizerFactory {
    private static final Option<Double> MOMENTUM = Option.of(
                    "momentum", CommonOptions.FRACTION, "The share of the previous step's velocity that is kept.")
            .orElse(0.0);
    private static final Option<Boolean> NESTEROV = Option.of(
                    "nesterov", OptionType.BOOLEAN, "Whether to use Nesterov momentum.")
            .orElse(false);

    @Override
    public String name() {
        return "sgd";
    }

    @Override
    public String help() {
        return "Gradient descent with momentum, as torch.optim.SGD.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(CommonOptions.LEARNING_RATE, MOMENTUM, CommonOptions.WEIGHT_DECAY, NESTEROV);
    }

    @Override
    public Optimizer create(OptionValues options) {
        double momentum = options.get(MOMENTUM);
        boolean nesterov = options.get(NESTEROV);
        if (nesterov && momentum == 0) {
            throw new TrainSpecException("sgd: nesterov needs a momentum above 0");
        }
        return new FusedOptimizer(
                "sgd",
                momentum == 0 ? 0 : 1,
                false,
                options.get(CommonOptions.LEARNING_RATE),
                List.of(momentum, options.get(CommonOptions.WEIGHT_DECAY), nesterov));
    }
}
