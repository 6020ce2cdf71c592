package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.train.spec.TrainSpec.Part;
import java.util.List;
import java.util.Optional;

/** What one of several independent trainers does in a way of its own; what is absent is as for all. */
public record RankConfig(
        Optional<Part> model,
        Optional<Part> optimizer,
        Optional<Part> schedule,
        Optional<Integer> accumulate,
        Optional<Double> clipNorm,
        Optional<Long> seed) {
    static final Option<Object> MODEL = Option.of(
                    "model", Types.structure("model"), "The rank's model. Default: train.model.")
            .optional();
    static final Option<Object> OPTIMIZER = Option.of(
                    "optimizer", Types.structure("optimizer"), "The rank's optimizer. Default: train.optimizer.")
            .optional();
    static final Option<Object> SCHEDULE = Option.of(
                    "schedule", Types.structure("schedule"), "The rank's schedule. Default: train.schedule.")
            .optional();
    static final Option<Integer> ACCUMULATE = Option.of(
                    TrainConfig.ACCUMULATE.key(),
                    TrainConfig.ACCUMULATE.type(),
                    "Batches in one update of the rank's model. Default: train.accumulate.")
            .optional();
    static final Option<Double> CLIP_NORM = Option.of(
                    TrainConfig.CLIP_NORM.key(),
                    TrainConfig.CLIP_NORM.type(),
                    "The most that the norm of the rank's gradients may be. Default: train.clip_norm.")
            .optional();
    static final Option<Long> SEED = Option.of(
                    "seed",
                    OptionType.LONG,
                    "Of the rank's initial parameters. Default: train.seed and the rank's number.")
            .optional();
    static final List<Option<?>> OPTIONS = List.of(MODEL, OPTIMIZER, SCHEDULE, ACCUMULATE, CLIP_NORM, SEED);
}
