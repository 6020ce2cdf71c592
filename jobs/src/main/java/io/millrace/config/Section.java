package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One mapping of the file against its declared options. Opening it reports unknown and missing keys and bad values; what
 * is read afterwards is the good values and the defaults, so that reading can go on and find more problems.
 */
final class Section {
    private final String path;
    private final Tree.Mapping tree;
    private final List<Option<?>> declared;
    private final Problems problems;
    private final boolean sound;

    /**
     * Opens a mapping.
     *
     * @param path of its key, empty for the whole file
     */
    Section(String path, Tree.Mapping tree, List<Option<?>> declared, Problems problems) {
        this(path, tree, declared, problems, true);
    }

    private Section(
            String path, Tree.Mapping tree, List<Option<?>> declared, Problems problems, boolean complainOfMissing) {
        this.path = path;
        this.tree = tree;
        this.declared = declared;
        this.problems = problems;
        int before = problems.count();
        reportUnknown();
        for (Option<?> option : declared) {
            Tree.Entry entry = tree.entries().get(option.key());
            if (entry != null) {
                reportBad(option, entry.value());
            } else if (option.required() && complainOfMissing) {
                problems.add(tree.place(), pathOf(option), "missing: " + option.help());
            }
        }
        this.sound = problems.count() == before;
    }

    /** The section under a key, empty when the key is absent or is no section; the latter is reported. */
    Section section(Option<?> option, List<Option<?>> keys) {
        return findSection(option, keys)
                .orElseGet(() -> new Section(pathOf(option), Tree.Mapping.empty(tree.place()), keys, problems, false));
    }

    /** The section under a key, if the key is there; something else than a section is reported. */
    Optional<Section> findSection(Option<?> option, List<Option<?>> keys) {
        return mapping(option).map(mapping -> new Section(pathOf(option), mapping, keys, problems));
    }

    /** The mapping under a key, if the key is there; something else than a mapping is reported. */
    Optional<Tree.Mapping> mapping(Option<?> option) {
        Optional<Tree.Entry> entry = entry(option);
        if (entry.isEmpty()) {
            return Optional.empty();
        }
        Optional<Tree.Mapping> mapping = asMapping(entry.get().value());
        if (mapping.isEmpty()) {
            Tree value = entry.get().value();
            problems.add(value.place(), pathOf(option), "expected a section of keys, found " + describe(value));
            return Optional.empty();
        }
        // What is missing in it is reported where the section begins, not where its first key stands.
        return Optional.of(
                new Tree.Mapping(entry.get().keyPlace(), mapping.get().entries()));
    }

    /** The value given, when it is good, or else the default. */
    <T> Optional<T> find(Option<T> option) {
        return value(tree, option);
    }

    /** The value of an option in a mapping, when it is given and good, or else the default; reports nothing. */
    static <T> Optional<T> value(Tree.Mapping mapping, Option<T> option) {
        Tree.Entry entry = mapping.entries().get(option.key());
        Object raw = entry == null ? null : entry.value().raw();
        if (raw != null) {
            try {
                return Optional.of(option.type().parse(raw));
            } catch (IllegalArgumentException reportedWhereTheSectionIsOpened) {
                return Optional.ofNullable(option.fallback());
            }
        }
        return Optional.ofNullable(option.fallback());
    }

    /** As {@link #find(Option)}, for options with a default. */
    <T> T get(Option<T> option) {
        return find(option).orElseThrow(() -> new IllegalStateException("no default for " + pathOf(option)));
    }

    /** What stands under the key. */
    Optional<Tree.Entry> entry(Option<?> option) {
        return Optional.ofNullable(tree.entries().get(option.key()));
    }

    /** The raw values of these options, when opening the section found nothing wrong. */
    Optional<OptionValues> values(List<Option<?>> options) {
        if (!sound) {
            return Optional.empty();
        }
        Map<String, Object> raw = new LinkedHashMap<>();
        for (Option<?> option : options) {
            entry(option).map(entry -> entry.value().raw()).ifPresent(value -> raw.put(option.key(), value));
        }
        return Optional.of(OptionValues.of(options, raw));
    }

    /** Where the section begins. */
    SourceLocation place() {
        return tree.place();
    }

    /** The full path of one of the section's keys. */
    String pathOf(Option<?> option) {
        return YamlTree.join(path, option.key());
    }

    /** The tree as a mapping, an empty one where nothing was written; empty when it is something else. */
    static Optional<Tree.Mapping> asMapping(Tree tree) {
        if (tree instanceof Tree.Mapping mapping) {
            return Optional.of(mapping);
        }
        return tree.raw() == null ? Optional.of(Tree.Mapping.empty(tree.place())) : Optional.empty();
    }

    /** A value as messages show it. */
    static String describe(Tree tree) {
        Object raw = tree.raw();
        if (raw == null) {
            return "nothing";
        }
        return raw instanceof String ? "'" + raw + "'" : raw.toString();
    }

    private void reportUnknown() {
        List<String> known = Option.keys(declared);
        tree.entries().forEach((key, entry) -> {
            if (!known.contains(key)) {
                String keyPath = YamlTree.join(path, key);
                problems.add(entry.keyPlace(), keyPath, "unknown key, " + hint(key, known));
            }
        });
    }

    private String hint(String key, List<String> known) {
        return Spelling.nearest(key, known).isEmpty()
                ? SectionKeys.elsewhere(key, path).orElseGet(() -> Spelling.hint(key, known))
                : Spelling.hint(key, known);
    }

    private void reportBad(Option<?> option, Tree value) {
        if (option.type().holdsChoices()) {
            return; // each where it stands, see ChoiceReader
        }
        Object raw = value.raw();
        try {
            option.type().parse(raw == null ? Types.NOTHING : raw);
        } catch (IllegalArgumentException e) {
            problems.add(value.place(), pathOf(option), String.valueOf(e.getMessage()));
        }
    }
}
