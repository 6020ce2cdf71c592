package io.millrace.train.update;

import io.millrace.option.Choice;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.train.spec.Named;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;

/** The optimizers that a pipeline file can name: PyTorch's formulas, option defaults and results. Stateless. */
public final class Optimizers {
    private static final OptionType<Double> NOT_NEGATIVE = OptionType.NUMBER.where(n -> n >= 0, "0 or more");
    private static final OptionType<Double> FRACTION = OptionType.NUMBER.where(n -> n >= 0 && n < 1, "0 to below 1");

    private static final Option<Double> LEARNING_RATE = Option.of(
                    "learning_rate", NOT_NEGATIVE, "The step's size, scaled by the schedule.")
            .orElse(0.001);
    private static final Option<Double> MOMENTUM = Option.of(
                    "momentum", FRACTION, "Share of the previous step's velocity that is kept.")
            .orElse(0.0);
    private static final Option<Boolean> NESTEROV = Option.of(
                    "nesterov", OptionType.BOOLEAN, "Looks ahead along the velocity (Nesterov).")
            .orElse(false);
    private static final Option<List<Double>> BETAS = Option.of(
                    "betas",
                    OptionType.listOf(FRACTION).where(list -> list.size() == 2, "two numbers"),
                    "Decay of the running means of the gradient and of its square.")
            .orElse(List.of(0.9, 0.999));
    private static final Option<Double> EPSILON = Option.of(
                    "epsilon", NOT_NEGATIVE, "Added to the denominator, against division by zero.")
            .orElse(1e-8);
    private static final Option<Double> WEIGHT_DECAY = Option.of(
                    "weight_decay", NOT_NEGATIVE, "The weights times this are added to the gradient.")
            .orElse(0.0);
    private static final Option<Double> DECOUPLED_DECAY = Option.of(
                    "weight_decay", NOT_NEGATIVE, "The weights shrink by this times the learning rate in every step.")
            .orElse(0.01);

    private static final List<Named<Maker>> ALL = List.of(
            new Named<>(
                    "sgd",
                    "Gradient descent with momentum, as torch.optim.SGD.",
                    List.of(LEARNING_RATE, MOMENTUM, WEIGHT_DECAY, NESTEROV),
                    Optimizers::sgd),
            new Named<>(
                    "adam",
                    "Adam, as torch.optim.Adam.",
                    List.of(LEARNING_RATE, BETAS, EPSILON, WEIGHT_DECAY),
                    options -> adam("adam", options, WEIGHT_DECAY)),
            new Named<>(
                    "adamw",
                    "Adam with decoupled weight decay, as torch.optim.AdamW.",
                    List.of(LEARNING_RATE, BETAS, EPSILON, DECOUPLED_DECAY),
                    options -> adam("adamw", options, DECOUPLED_DECAY)));

    /** Makes a formula from options. */
    @FunctionalInterface
    interface Maker {
        UpdateRule.Formula make(OptionValues options);
    }

    private Optimizers() {}

    /** Every optimizer, for the configuration and the documentation. */
    public static List<Choice> all() {
        return List.copyOf(ALL);
    }

    /**
     * The formula of an optimizer.
     *
     * @throws TrainSpecException when there is no such optimizer, or its options contradict each other
     */
    public static UpdateRule.Formula formula(TrainSpec.Part optimizer) {
        return Named.find(ALL, "optimizer", optimizer).make(optimizer.options());
    }

    private static UpdateRule.Formula sgd(OptionValues options) {
        double momentum = options.get(MOMENTUM);
        boolean nesterov = options.get(NESTEROV);
        if (nesterov && momentum == 0) {
            throw new TrainSpecException("sgd: nesterov needs a momentum above 0");
        }
        return new UpdateRule.Formula(
                "sgd",
                momentum == 0 ? 0 : 1,
                false,
                options.get(LEARNING_RATE),
                List.of(momentum, options.get(WEIGHT_DECAY), nesterov));
    }

    private static UpdateRule.Formula adam(String method, OptionValues options, Option<Double> decay) {
        List<Double> betas = options.get(BETAS);
        return new UpdateRule.Formula(
                method,
                2,
                true,
                options.get(LEARNING_RATE),
                List.of(betas.get(0), betas.get(1), options.get(EPSILON), options.get(decay)));
    }
}
