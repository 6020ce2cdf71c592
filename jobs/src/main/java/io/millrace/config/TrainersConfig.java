package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.order.Tail;
import java.util.List;
import java.util.Optional;

/**
 * The trainers of a run.
 *
 * @param ranks the number of trainers, each a task of its own; at least 1
 * @param tail the ranks that share a batch that is not full, which no key decides
 * @param own the settings of each rank; empty when no rank has settings of its own
 */
public record TrainersConfig(int ranks, Share share, Replicas replicas, Tail tail, List<RankConfig> own) {
    /** The batches that a trainer receives. */
    public enum Share {
        /** Its own rows of each global batch, which has ranks x batch.size rows. */
        SPLIT,
        /** Every batch, so that several models share one preprocessing. */
        ALL
    }

    /** The relation between the trainers' models. */
    public enum Replicas {
        /** Each trainer has a model of its own. */
        INDEPENDENT,
        /** All models stay equal: in each step the gradients are averaged over all ranks. */
        SYNC
    }

    static final Option<Integer> RANKS = Option.of(
                    "ranks", Types.between(1, 1024), "The number of trainers, each a task of its own.")
            .orElse(1)
            .decides(Identity.TRAINING);
    static final Option<Share> SHARE = Option.of(
                    "share",
                    OptionType.choice(Share.class),
                    "With several ranks: split sends each trainer its own rows of a global batch of ranks x batch.size;"
                            + " all sends every batch to every trainer.")
            .orElse(Share.SPLIT)
            .decides(Identity.TRAINING);
    static final Option<Replicas> REPLICAS = Option.of(
                    "replicas",
                    OptionType.choice(Replicas.class),
                    "With several ranks: independent models, or sync: one model, whose gradients are averaged over the"
                            + " ranks in each update.")
            .orElse(Replicas.INDEPENDENT)
            .decides(Identity.TRAINING);
    static final List<Option<?>> OPTIONS = List.of(RANKS, SHARE, REPLICAS);

    /** A key of the section {@code train}. */
    static final Option<Object> OWN = Option.of(
                    "ranks",
                    Types.structure("list of sections"),
                    "With several ranks: the settings of each rank, in the order of the ranks, as in [{optimizer:"
                            + " {adam: {learning_rate: 0.01}}}, {}].")
            .optional();

    public TrainersConfig {
        own = List.copyOf(own);
    }

    /**
     * Reads the keys of the trainers and checks that they are consistent.
     *
     * @param train the section {@code train}, if the file has one
     */
    static TrainersConfig read(Section root, Optional<Section> train) {
        List<RankConfig> own = train.map(section -> section.sections(OWN, RankConfig.OPTIONS).stream()
                        .map(RankConfig::read)
                        .toList())
                .orElse(List.of());
        TrainersConfig trainers =
                new TrainersConfig(root.get(RANKS), root.get(SHARE), root.get(REPLICAS), Tail.FIRST_RANKS, own);
        if (trainers.ranks > 1 && trainers.share == Share.ALL && trainers.replicas == Replicas.SYNC) {
            root.report(
                    REPLICAS,
                    "replicas that all train on every batch would average equal gradients: expected share: split with"
                            + " replicas: sync, found share: all");
        }
        if (!own.isEmpty()) {
            trainers.checkOwn(root, train.orElseThrow());
        }
        return trainers;
    }

    private void checkOwn(Section root, Section train) {
        Problems problems = root.reading().problems();
        if (own.size() != ranks) {
            problems.add(
                    root.location(),
                    train.pathOf(OWN),
                    "expected as many entries as ranks, " + ranks + ", found " + own.size());
        } else if (replicas == Replicas.SYNC) {
            problems.add(
                    root.location(),
                    train.pathOf(OWN),
                    "with replicas: sync all ranks train one model with the same settings: expected no such key");
        }
    }

    /** Writes the keys at the top level; {@link #OWN} is written with the section {@code train}. */
    void write(WrittenConfig root) {
        root.put(RANKS, ranks).put(SHARE, share).put(REPLICAS, replicas);
    }

    /** Returns the same trainers with other settings of their own. */
    TrainersConfig withOwn(List<RankConfig> others) {
        return new TrainersConfig(ranks, share, replicas, tail, others);
    }

    /** Returns the same trainers with another division of batches that are not full. */
    TrainersConfig withTail(Tail other) {
        return new TrainersConfig(ranks, share, replicas, other, own);
    }
}
