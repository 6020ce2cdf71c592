package io.millrace.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the key {@code stages}. */
final class StagesReader {
    private final Problems problems;

    StagesReader(Problems problems) {
        this.problems = problems;
    }

    /**
     * Reads the stages; fused where they are still to be chosen, or a problem was reported.
     *
     * @param transforms what the file has as its list of transforms: their names are the stages', checked or not
     */
    StagesConfig read(Section root, Optional<Tree> transforms) {
        String path = root.pathOf(PipelineConfig.STAGES);
        Optional<Tree> tree = root.entry(PipelineConfig.STAGES).map(Tree.Entry::value);
        if (tree.isPresent() && tree.get() instanceof Tree.Mapping mapping) {
            return new StagesConfig(StagesConfig.Mode.FUSED, named(mapping, path, transforms));
        }
        Object word = tree.isPresent() ? tree.get().raw() : PipelineConfig.STAGES.fallback();
        if ("separate".equals(word)) {
            return new StagesConfig(StagesConfig.Mode.SEPARATE, Map.of());
        }
        if (!"fused".equals(word) && !areChosen(root)) {
            String found = tree.map(Section::describe).orElse("nothing");
            problems.add(
                    tree.map(Tree::place).orElse(root.place()),
                    path,
                    "expected fused, separate, auto or {stage: parallelism}, found " + found);
        }
        return new StagesConfig(StagesConfig.Mode.FUSED, Map.of());
    }

    /** Whether they are chosen as a run begins. */
    static boolean areChosen(Section root) {
        return root.entry(PipelineConfig.STAGES)
                .map(Tree.Entry::value)
                .map(Tree::raw)
                .filter(AutoConfig.WORD::equals)
                .isPresent();
    }

    private Map<String, Integer> named(Tree.Mapping mapping, String path, Optional<Tree> transforms) {
        List<String> stages = StageNames.of(names(transforms));
        Map<String, Integer> named = new LinkedHashMap<>();
        mapping.entries().forEach((stage, entry) -> {
            String key = YamlTree.join(path, stage);
            Object raw = entry.value().raw();
            if (!stages.contains(stage)) {
                List<String> near = Spelling.nearest(stage, stages);
                String hint = near.isEmpty() ? "" : ", " + Spelling.hint(stage, stages);
                problems.add(
                        entry.keyPlace(),
                        key,
                        "no such stage" + hint + "; the stages are " + String.join(", ", stages));
                return;
            }
            try {
                named.put(stage, ParallelismType.SLOTS.parse(raw == null ? "nothing" : raw));
            } catch (IllegalArgumentException e) {
                problems.add(entry.value().place(), key, String.valueOf(e.getMessage()));
            }
        });
        return named;
    }

    private static List<String> names(Optional<Tree> transforms) {
        List<String> names = new ArrayList<>();
        if (transforms.isPresent() && transforms.get() instanceof Tree.Listing listing) {
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
}
