package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.order.Shuffle;

/**
 * The order of the training samples.
 *
 * @param seed the seed of the order and of every random transform
 */
public record OrderConfig(long seed, Shuffle shuffle) {
    static final Option<Object> SECTION = Option.of("order", Types.structure("section"), "The order of the samples.")
            .optional();
    static final Option<Long> SEED = Option.of(
                    "seed", OptionType.LONG, "The seed of the order of samples and of the random transforms.")
            .orElse(42L)
            .decides(Identity.BATCHES);
    static final Option<Shuffle> SHUFFLE = Option.of(
                    "shuffle",
                    ShuffleType.TYPE,
                    "none: storage order; full: a new permutation of the dataset in each epoch; blocks: the dataset is"
                            + " divided into blocks of {size} consecutive samples, the order of the blocks is permuted,"
                            + " and the samples of each group of {open} blocks are shuffled together; for shards on"
                            + " slow storage.")
            .orElse(Shuffle.FULL)
            .decides(Identity.BATCHES);
    static final Bound<OrderConfig> KEYS = Bound.of(OrderConfig.class);
}
