package io.millrace.train.update;

import io.millrace.option.Choice;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.train.spec.NamedMaker;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;

/**
 * The learning rate schedules that a pipeline file can choose. Each may begin with a linear warm-up. Stateless.
 *
 * <p>A schedule counts updates. If several batches make one update ({@link UpdatePlan}), the rates are those of a run
 * with proportionally larger batches. Otherwise each step is an update. Epochs of {@code step} count from the start of
 * the run; the cosine spans the updates after the warm-up.
 */
public final class Schedules {
    private static final Option<Long> WARM_UP = Option.of(
                    "warm_up",
                    OptionType.LONG.where(n -> n >= 0, "0 or more"),
                    "The number of updates during which the rate rises linearly to the optimizer's learning_rate."
                            + " Without train.accumulate, each step is an update.")
            .orElse(0L);
    private static final Option<Integer> EVERY = Option.of(
            "every",
            OptionType.INTEGER.where(n -> n >= 1, "at least 1"),
            "The number of epochs between two reductions.");
    private static final Option<Double> FACTOR = Option.of(
                    "factor",
                    OptionType.NUMBER.where(n -> n > 0 && n <= 1, "above 0, at most 1"),
                    "The factor of each reduction.")
            .orElse(0.1);

    private static final List<NamedMaker<Maker>> ALL = List.of(
            new NamedMaker<>(
                    "constant",
                    "Uses the optimizer's learning rate for the whole run.",
                    List.of(WARM_UP),
                    (options, base, spec) -> warmed(options, base, LearningRate.constant(base))),
            new NamedMaker<>(
                    "step",
                    "Reduces the learning rate by a factor after a number of epochs, as PyTorch's StepLR does.",
                    List.of(EVERY, FACTOR, WARM_UP),
                    (options, base, spec) -> warmed(
                            options,
                            base,
                            LearningRate.steps(
                                    base,
                                    Math.max(1, UpdatePlan.of(spec).updatesPerEpoch()),
                                    options.get(EVERY),
                                    options.get(FACTOR)))),
            new NamedMaker<>(
                    "cosine",
                    "Reduces the learning rate to 0 over the run, along half a cosine, as PyTorch's CosineAnnealingLR does.",
                    List.of(WARM_UP),
                    Schedules::cosine));

    /** Code that makes a schedule from its options. */
    @FunctionalInterface
    interface Maker {
        LearningRate make(OptionValues options, double base, TrainSpec spec);
    }

    private Schedules() {}

    /** Returns every schedule, for the configuration and the documentation. */
    public static List<Choice> all() {
        return List.copyOf(ALL);
    }

    /**
     * Returns the learning rate of each update of a run.
     *
     * @param base the optimizer's learning rate
     * @throws TrainSpecException when there is no such schedule, or it does not fit the run
     */
    public static LearningRate of(TrainSpec spec, double base) {
        return spec.recipe()
                .schedule()
                .in(ALL, "schedule")
                .maker()
                .make(spec.recipe().schedule().options(), base, spec);
    }

    private static LearningRate cosine(OptionValues options, double base, TrainSpec spec) {
        if (spec.length().epochs() < 1) {
            throw new TrainSpecException(
                    "the schedule 'cosine' ends with the run, so it needs the number of epochs: set dataset.epochs");
        }
        long total = Math.multiplyExact(
                UpdatePlan.of(spec).updatesPerEpoch(), (long) spec.length().epochs());
        long warmUp = options.get(WARM_UP);
        if (warmUp >= total && total > 0) {
            throw new TrainSpecException(
                    "the schedule 'cosine' has a warm_up of " + warmUp + " updates, but the run has only " + total);
        }
        return warmed(
                options,
                base,
                LearningRate.cosine(base, Math.max(1, total - warmUp)).delayed(warmUp));
    }

    private static LearningRate warmed(OptionValues options, double base, LearningRate main) {
        long warmUp = options.get(WARM_UP);
        return warmUp == 0 ? main : main.afterWarmUp(base, warmUp);
    }
}
