package io.millrace.train.update;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.util.List;

/** The optimizers {@code adam} and {@code adamw}, with PyTorch's formulas, option defaults and results. */
abstract sealed class AdamFactory implements OptimizerFactory {
    private static final Option<List<Double>> BETAS = Option.of(
                    "betas",
                    OptionType.listOf(CommonOptions.FRACTION).where(list -> list.size() == 2, "two numbers"),
                    "The decay of the running means of the gradient and of its square.")
            .orElse(List.of(0.9, 0.999));
    private static final Option<Double> EPSILON = Option.of(
                    "epsilon",
                    CommonOptions.NOT_NEGATIVE,
                    "The number that is added to the denominator to avoid a division by zero.")
            .orElse(1e-8);
    private static final Option<Double> DECOUPLED_DECAY = Option.of(
                    "weight_decay",
                    CommonOptions.NOT_NEGATIVE,
                    "The share by which the weights shrink in each update, multiplied by the learning rate.")
            .orElse(0.01);

    private final String name;
    private final Option<Double> decay;

    private AdamFactory(String name, Option<Double> decay) {
        this.name = name;
        this.decay = decay;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Option<?>> options() {
        return List.of(CommonOptions.LEARNING_RATE, BETAS, EPSILON, decay);
    }

    @Override
    public Optimizer create(OptionValues options) {
        List<Double> betas = options.get(BETAS);
        return new FusedOptimizer(
                name,
                2,
                true,
                options.get(CommonOptions.LEARNING_RATE),
                List.of(betas.get(0), betas.get(1), options.get(EPSILON), options.get(decay)));
    }

    /** The choice {@code adam}. */
    public static final class Adam extends AdamFactory {
        /** Creates the factory, for the service loader. */
        public Adam() {
            super("adam", CommonOptions.WEIGHT_DECAY);
        }

        @Override
        public String help() {
            return "Adam, as torch.optim.Adam.";
        }
    }

    /** The choice {@code adamw}. */
    public static final class AdamW extends AdamFactory {
        /** Creates the factory, for the service loader. */
        public AdamW() {
            super("adamw", DECOUPLED_DECAY);
        }

        @Override
        public String help() {
            return "Adam with decoupled weight decay, as torch.optim.AdamW.";
        }
    }
}
