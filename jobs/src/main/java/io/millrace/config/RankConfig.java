package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.train.spec.Component;
import java.util.List;
import java.util.Optional;

/**
 * The settings of one of several independent trainers. For an absent value, the value of the section {@code train}
 * applies.
 */
public record RankConfig(
        Optional<Component> model,
        Optional<Component> optimizer,
        Optional<Component> schedule,
        Optional<Integer> accumulate,
        Optional<Double> clipNorm,
        Optional<Long> seed) {
    static final Option<Object> MODEL = Option.of(
                    "model", Types.structure("model"), "The rank's model. Default: train.model.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Object> OPTIMIZER = Option.of(
                    "optimizer", Types.structure("optimizer"), "The rank's optimizer. Default: train.optimizer.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Object> SCHEDULE = Option.of(
                    "schedule", Types.structure("schedule"), "The rank's schedule. Default: train.schedule.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Integer> ACCUMULATE = Option.of(
                    TrainConfig.ACCUMULATE.key(),
                    TrainConfig.ACCUMULATE.type(),
                    "Batches in one update of the rank's model. Default: train.accumulate.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Double> CLIP_NORM = Option.of(
                    TrainConfig.CLIP_NORM.key(),
                    TrainConfig.CLIP_NORM.type(),
                    "The largest norm of the rank's gradients. Default: train.clip_norm.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Long> SEED = Option.of(
                    "seed",
                    OptionType.LONG,
                    "The seed of the rank's initial parameters. Default: train.seed plus the rank's number.")
            .optional()
            .decides(Identity.TRAINING);
    static final List<Option<?>> OPTIONS = List.of(MODEL, OPTIMIZER, SCHEDULE, ACCUMULATE, CLIP_NORM, SEED);

    static RankConfig read(Section section) {
        Catalogs catalogs = section.catalogs();
        return new RankConfig(
                section.findComponent(MODEL, "model", catalogs.models()),
                section.findComponent(OPTIMIZER, "optimizer", catalogs.optimizers()),
                section.findComponent(SCHEDULE, "schedule", catalogs.schedules()),
                section.find(ACCUMULATE),
                section.find(CLIP_NORM),
                section.find(SEED));
    }

    void write(WrittenConfig section) {
        section.put(MODEL, model)
                .put(OPTIMIZER, optimizer)
                .put(SCHEDULE, schedule)
                .put(ACCUMULATE, accumulate)
                .put(CLIP_NORM, clipNorm)
                .put(SEED, seed);
    }

    /** Returns the same settings with another model. */
    RankConfig withModel(Optional<Component> other) {
        return new RankConfig(other, optimizer, schedule, accumulate, clipNorm, seed);
    }
}
