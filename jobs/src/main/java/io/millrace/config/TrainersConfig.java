package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.List;

/**
 * How many trainers there are and what each gets.
 *
 * @param ranks trainers, each a task of its own
 */
public record TrainersConfig(int ranks, Share share, Replicas replicas) {
    /** Which batches a trainer gets. */
    public enum Share {
        /** Its own rows of each global batch, which has ranks x batch.size of them. */
        SPLIT,
        /** Every batch: one preprocessing for several models. */
        ALL
    }

    /** How the trainers' models belong together. */
    public enum Replicas {
        /** Not at all. */
        INDEPENDENT,
        /** They stay equal: in each step gradients are averaged over all ranks. */
        SYNC
    }

    static final Option<Integer> RANKS = Option.of(
                    "ranks", Types.between(1, 1024), "How many trainers there are, each a task of its own.")
            .orElse(1);
    static final Option<Share> SHARE = Option.of(
                    "share",
                    OptionType.choice(Share.class),
                    "With several ranks: split gives each its own rows of a global batch of ranks x batch.size; all gives"
                            + " every trainer every batch.")
            .orElse(Share.SPLIT);
    static final Option<Replicas> REPLICAS = Option.of(
                    "replicas",
                    OptionType.choice(Replicas.class),
                    "With several ranks: independent models, or sync: one model, gradients averaged over the ranks in each"
                            + " step.")
            .orElse(Replicas.INDEPENDENT);
    static final List<Option<?>> OPTIONS = List.of(RANKS, SHARE, REPLICAS);

    static TrainersConfig read(Section section) {
        return new TrainersConfig(section.get(RANKS), section.get(SHARE), section.get(REPLICAS));
    }
}
