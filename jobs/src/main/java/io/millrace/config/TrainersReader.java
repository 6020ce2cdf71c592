package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.train.spec.TrainSpec.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the keys {@code ranks}, {@code share}, {@code replicas} and {@code train.ranks}. */
final class TrainersReader {
    private final Catalogs catalogs;
    private final ChoiceReader choices;
    private final Problems problems;

    TrainersReader(Catalogs catalogs, ChoiceReader choices, Problems problems) {
        this.catalogs = catalogs;
        this.choices = choices;
        this.problems = problems;
    }

    /** Reads how many there are and what each gets. */
    TrainersConfig read(Section root) {
        TrainersConfig trainers = TrainersConfig.read(root);
        if (trainers.ranks() == 1) {
            return trainers;
        }
        if (trainers.share() == TrainersConfig.Share.ALL && trainers.replicas() == TrainersConfig.Replicas.SYNC) {
            problems.add(
                    root.entry(TrainersConfig.REPLICAS).orElseThrow().value().place(),
                    root.pathOf(TrainersConfig.REPLICAS),
                    "replicas that all train on every batch would average equal gradients: expected share: split with"
                            + " replicas: sync, found share: all");
        }
        return trainers;
    }

    /**
     * Checks what ranks have of their own.
     *
     * @param own for how many ranks the file has such entries
     */
    void check(Section root, int own, TrainersConfig trainers) {
        if (own == 0) {
            return;
        }
        String path = YamlTree.join(root.pathOf(PipelineConfig.TRAIN), TrainConfig.RANKS.key());
        if (own != trainers.ranks()) {
            problems.add(
                    root.place(), path, "expected as many entries as ranks, " + trainers.ranks() + ", found " + own);
        } else if (trainers.replicas() == TrainersConfig.Replicas.SYNC) {
            problems.add(
                    root.place(), path, "with replicas: sync all ranks train one model in one way: leave this away");
        }
    }

    /** What each rank has of its own, of the section {@code train}; empty where they are all alike. */
    List<RankConfig> own(Section section) {
        Optional<Tree.Entry> entry = section.entry(TrainConfig.RANKS);
        if (entry.isEmpty()) {
            return List.of();
        }
        String path = section.pathOf(TrainConfig.RANKS);
        Tree value = entry.get().value();
        if (!(value instanceof Tree.Listing listing)) {
            problems.add(value.place(), path, "expected a list of sections, found " + Section.describe(value));
            return List.of();
        }
        List<RankConfig> ranks = new ArrayList<>();
        for (Tree item : listing.items()) {
            String at = YamlTree.join(path, String.valueOf(ranks.size()));
            Optional<Tree.Mapping> mapping = Section.asMapping(item);
            if (mapping.isEmpty()) {
                problems.add(item.place(), at, "expected a section of keys, found " + Section.describe(item));
            }
            Section rank = new Section(
                    at, mapping.orElseGet(() -> Tree.Mapping.empty(item.place())), RankConfig.OPTIONS, problems);
            ranks.add(new RankConfig(
                    find(rank, RankConfig.MODEL, catalogs.models()),
                    find(rank, RankConfig.OPTIMIZER, catalogs.optimizers()),
                    find(rank, RankConfig.SCHEDULE, catalogs.schedules()),
                    rank.find(RankConfig.ACCUMULATE),
                    rank.find(RankConfig.CLIP_NORM),
                    rank.find(RankConfig.SEED)));
        }
        return ranks;
    }

    private Optional<Part> find(Section section, Option<Object> option, List<CatalogEntry> known) {
        return section.entry(option)
                .flatMap(entry -> choices.one(entry.value(), section.pathOf(option), option.key(), known));
    }
}
