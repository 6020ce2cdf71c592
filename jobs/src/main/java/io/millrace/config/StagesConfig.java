package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.NearWords;
import io.millrace.option.Option;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The division of stages into tasks.
 *
 * <p>Tested by {@code ConfigReaderTest}.
 *
 * @param mode the division of stages without a parallelism of their own
 * @param parallelism the parallelism by stage; each stage with an entry is an operator outside the chain
 */
public record StagesConfig(Mode mode, Map<String, Integer> parallelism) {
    /** The ways to turn stages into Flink tasks. */
    public enum Mode {
        /** All stages of a slot run in one chain, without queues between them. */
        FUSED,
        /** Each stage is a task of its own, with its own busy time and backpressure in the web UI. */
        SEPARATE,
        /**
         * All stages of the only slot and the trainer's assembly of batches run in one task, and no sample is
         * serialized.
         */
        ONE_TASK;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** All stages of a slot in one chain. */
    public static final StagesConfig ONE_CHAIN = new StagesConfig(Mode.FUSED, Map.of());

    static final Option<Object> STAGES = Option.of(
                    "stages",
                    Types.structure("fused | separate | one_task | auto | {stage: parallelism}"),
                    "fused: one chain of the stages from read to pack in each slot; separate: one task for each stage; one_task:"
                            + " read to pack and the trainer's assembly of batches in one task, without a network between them,"
                            + " for one slot and one trainer; {stage:"
                            + " parallelism}: the named stages as tasks of their own with that parallelism; auto: like"
                            + " fused, but a stage that mostly waits is a task of its own, with the parallelism that"
                            + " the train command measures.")
            .orElse("fused")
            .decides(Identity.NOTHING);

    public StagesConfig {
        parallelism = Collections.unmodifiableMap(new LinkedHashMap<>(parallelism));
    }

    /** Reads the key {@code stages}; one chain when the stages are chosen later or a problem was reported. */
    static StagesConfig read(Section root) {
        Optional<Tree> tree = root.entry(STAGES).map(Tree.Entry::value);
        if (tree.isPresent() && tree.get() instanceof Tree.Mapping mapping) {
            return new StagesConfig(Mode.FUSED, named(mapping, root));
        }
        Object word = tree.isPresent() ? tree.get().raw() : STAGES.fallback();
        if (Mode.SEPARATE.word().equals(word)) {
            return new StagesConfig(Mode.SEPARATE, Map.of());
        }
        if (Mode.ONE_TASK.word().equals(word)) {
            return new StagesConfig(Mode.ONE_TASK, Map.of());
        }
        if (!Mode.FUSED.word().equals(word) && !areChosen(root)) {
            String found = tree.map(Section::describe).orElse("nothing");
            root.report(STAGES, "expected fused, separate, one_task, auto or {stage: parallelism}, found " + found);
        }
        return ONE_CHAIN;
    }

    /** Returns whether the stages are chosen by a measurement when a run begins. */
    static boolean areChosen(Section root) {
        return root.entry(STAGES)
                .map(Tree.Entry::value)
                .map(Tree::raw)
                .filter(AutoConfig.WORD::equals)
                .isPresent();
    }

    private static Map<String, Integer> named(Tree.Mapping mapping, Section root) {
        List<String> stages = StageNames.of(transformNames(root));
        Map<String, Integer> named = new LinkedHashMap<>();
        mapping.entries().forEach((stage, entry) -> {
            String key = YamlTree.join(root.pathOf(STAGES), stage);
            Object raw = entry.value().raw();
            if (!stages.contains(stage)) {
                List<String> near = NearWords.nearest(stage, stages);
                String hint = near.isEmpty() ? "" : ", " + Spelling.hint(stage, stages);
                root.reading()
                        .problems()
                        .add(
                                entry.keyLocation(),
                                key,
                                "no such stage" + hint + "; the stages are " + String.join(", ", stages));
                return;
            }
            try {
                named.put(stage, ParallelismType.SLOTS.parse(raw == null ? Types.NOTHING : raw));
            } catch (IllegalArgumentException e) {
                root.reading().problems().add(entry.value().location(), key, String.valueOf(e.getMessage()));
            }
        });
        return named;
    }

    /** Returns the names in the file's list of transforms, including unknown names. */
    private static List<String> transformNames(Section root) {
        List<String> names = new ArrayList<>();
        Tree transforms =
                root.entry(DataConfig.TRANSFORMS).map(Tree.Entry::value).orElse(null);
        if (transforms instanceof Tree.Listing listing) {
            for (Tree item : listing.items()) {
                if (item instanceof Tree.Mapping mapping && !mapping.entries().isEmpty()) {
                    names.add(mapping.entries().keySet().iterator().next());
                } else if (item.raw() instanceof String name) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    void write(WrittenConfig root) {
        if (parallelism.isEmpty()) {
            root.put(STAGES, mode);
        } else {
            root.put(STAGES, new LinkedHashMap<>(parallelism));
        }
    }

    /** Returns the same division without the stages that have other names. */
    StagesConfig keeping(Collection<String> names) {
        Map<String, Integer> kept = new LinkedHashMap<>(parallelism);
        kept.keySet().retainAll(names);
        return new StagesConfig(mode, kept);
    }

    /** Returns whether the stage is a task of its own. */
    public boolean separate(String stage) {
        return mode == Mode.SEPARATE || parallelism.containsKey(stage);
    }

    /**
     * Returns the stage's own parallelism.
     *
     * @param common the parallelism of stages without a number of their own
     */
    public int parallelism(String stage, int common) {
        return parallelism.getOrDefault(stage, common);
    }
}
