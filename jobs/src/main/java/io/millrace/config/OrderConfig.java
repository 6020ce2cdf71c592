package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.order.EpochOrder;
import java.util.List;

/**
 * In which order samples are visited.
 *
 * @param seed of the order and of every random transform
 */
public record OrderConfig(long seed, EpochOrder.Shuffle shuffle) {
    static final Option<Long> SEED = Option.of(
                    "seed", OptionType.LONG, "Determines the order of samples and what random transforms draw.")
            .orElse(42L);
    static final Option<EpochOrder.Shuffle> SHUFFLE = Option.of(
                    "shuffle",
                    OptionType.choice(EpochOrder.Shuffle.class),
                    "Storage order, or a fresh permutation of the dataset in each epoch.")
            .orElse(EpochOrder.Shuffle.FULL);
    static final List<Option<?>> OPTIONS = List.of(SEED, SHUFFLE);
}
