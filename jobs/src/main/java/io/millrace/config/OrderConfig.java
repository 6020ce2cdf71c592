package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.order.Shuffle;
import java.util.List;

/**
 * In which order samples are visited.
 *
 * @param seed of the order and of every random transform
 */
public record OrderConfig(long seed, Shuffle shuffle) {
    static final Option<Long> SEED = Option.of(
                    "seed", OptionType.LONG, "Determines the order of samples and what random transforms draw.")
            .orElse(42L);
    static final Option<Shuffle> SHUFFLE = Option.of(
                    "shuffle",
                    ShuffleType.TYPE,
                    "Storage order; or in each epoch a fresh permutation of the dataset; or one of blocks of size"
                            + " consecutive samples, open of them mixed at a time, for shards on slow storage.")
            .orElse(Shuffle.FULL);
    static final List<Option<?>> OPTIONS = List.of(SEED, SHUFFLE);
}
