package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.order.Shuffle;
import io.millrace.order.SkippedSteps;
import java.util.List;

/**
 * The order of the training samples.
 *
 * @param seed the seed of the order and of every random transform
 * @param skipSteps the steps that the run leaves out
 */
public record OrderConfig(long seed, Shuffle shuffle, List<StepRange> skipSteps) {
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
    static final Option<List<StepRange>> SKIP_STEPS = Option.of(
                    "skip_steps",
                    OptionType.listOf(StepRange.TYPE)
                            .writtenAs(ranges ->
                                    ranges.stream().map(StepRange::toString).toList()),
                    "Training steps that the run leaves out, such as [48200-48260]; all others keep their samples and move forward. The"
                            + " numbers are those of the logs: each entry counts without the steps of the entries before it. A"
                            + " resumed run may leave out further steps from the one on at which it resumes.")
            .optional()
            .decides(Identity.NOTHING);
    static final Bound<OrderConfig> KEYS = Bound.of(OrderConfig.class);

    /** Creates an order that leaves out no steps. */
    public OrderConfig(long seed, Shuffle shuffle) {
        this(seed, shuffle, List.of());
    }

    public OrderConfig {
        skipSteps = List.copyOf(skipSteps);
    }

    /** Returns the steps that the run leaves out. */
    public SkippedSteps skipped() {
        SkippedSteps skipped = SkippedSteps.NONE;
        for (StepRange range : skipSteps) {
            skipped = skipped.and(range.first(), range.last());
        }
        return skipped;
    }
}
