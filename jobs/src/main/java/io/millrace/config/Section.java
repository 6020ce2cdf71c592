package io.millrace.config;

import io.millrace.option.NearWords;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.train.spec.Component;
import io.millrace.transform.TransformSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One mapping of a pipeline file, checked against its declared options. The constructor reports unknown keys, missing keys
 * and bad values. The methods then return the good values and the defaults, so that reading continues and finds more
 * problems.
 *
 * <p>Tested by {@code ConfigReaderTest}.
 */
final class Section {
    private final String path;
    private final Tree.Mapping tree;
    private final List<Option<?>> declared;
    private final Reading reading;
    private final boolean sound;

    /**
     * Checks a mapping.
     *
     * @param path the path of the mapping's key, empty for the whole file
     */
    Section(String path, Tree.Mapping tree, List<Option<?>> declared, Reading reading) {
        this(path, tree, declared, reading, true);
    }

    private Section(
            String path, Tree.Mapping tree, List<Option<?>> declared, Reading reading, boolean reportsMissingKeys) {
        this.path = path;
        this.tree = tree;
        this.declared = declared;
        this.reading = reading;
        int before = problems().count();
        reportUnknown();
        for (Option<?> option : declared) {
            Tree.Entry entry = tree.entries().get(option.key());
            if (entry != null) {
                reportBad(option, entry.value());
            } else if (option.required() && reportsMissingKeys) {
                problems().add(tree.location(), pathOf(option), "missing: " + option.help());
            }
        }
        this.sound = problems().count() == before;
    }

    /**
     * Returns the section under a key. It is empty when the key is absent, or when its value is not a section, which is
     * reported.
     */
    Section section(Option<?> option, List<Option<?>> keys) {
        return findSection(option, keys)
                .orElseGet(
                        () -> new Section(pathOf(option), Tree.Mapping.empty(tree.location()), keys, reading, false));
    }

    /** Reads the section under a key; the defaults when the key is absent. */
    <C extends Record> C section(Option<?> option, Bound<C> keys) {
        return keys.read(section(option, keys.options()));
    }

    /** Reads the section under a key if the file has the key, and reports a value that is no section. */
    <C extends Record> Optional<C> findSection(Option<?> option, Bound<C> keys) {
        return findSection(option, keys.options()).map(keys::read);
    }

    /** Returns the section under a key if the file has the key, and reports a value that is no section. */
    Optional<Section> findSection(Option<?> option, List<Option<?>> keys) {
        return mapping(option).map(mapping -> new Section(pathOf(option), mapping, keys, reading));
    }

    /** Returns the mapping under a key if the file has the key, and reports a value that is no mapping. */
    Optional<Tree.Mapping> mapping(Option<?> option) {
        Optional<Tree.Entry> entry = entry(option);
        if (entry.isEmpty()) {
            return Optional.empty();
        }
        Optional<Tree.Mapping> mapping = asMapping(entry.get().value());
        if (mapping.isEmpty()) {
            Tree value = entry.get().value();
            problems().add(value.location(), pathOf(option), "expected a section of keys, found " + describe(value));
            return Optional.empty();
        }
        // Missing keys are reported at the beginning of the section, not at its first key.
        return Optional.of(
                new Tree.Mapping(entry.get().keyLocation(), mapping.get().entries()));
    }

    /** Returns the sections that a key lists, none when the key is absent, and reports items that are no sections. */
    List<Section> sections(Option<?> option, List<Option<?>> keys) {
        Optional<Tree> value = entry(option).map(Tree.Entry::value);
        if (value.isEmpty()) {
            return List.of();
        }
        if (!(value.get() instanceof Tree.Listing listing)) {
            report(option, "expected a list of sections, found " + describe(value.get()));
            return List.of();
        }
        Map<String, Section> sections = new LinkedHashMap<>();
        for (Tree item : listing.items()) {
            String itemPath = YamlTree.join(pathOf(option), String.valueOf(sections.size()));
            Optional<Tree.Mapping> mapping = asMapping(item);
            if (mapping.isEmpty()) {
                problems().add(item.location(), itemPath, "expected a section of keys, found " + describe(item));
            }
            Tree.Mapping keysOfItem = mapping.orElseGet(() -> Tree.Mapping.empty(item.location()));
            sections.put(itemPath, new Section(itemPath, keysOfItem, keys, reading));
        }
        return List.copyOf(sections.values());
    }

    /** Returns the file's value when it is good, otherwise the default. */
    <T> Optional<T> find(Option<T> option) {
        return value(tree, option);
    }

    /** Returns the value of an option in a mapping when it is good, otherwise the default. Reports nothing. */
    static <T> Optional<T> value(Tree.Mapping mapping, Option<T> option) {
        Tree.Entry entry = mapping.entries().get(option.key());
        Object raw = entry == null ? null : entry.value().raw();
        if (raw != null) {
            try {
                return Optional.of(option.type().parse(raw));
            } catch (IllegalArgumentException reportedByTheConstructor) {
                return Optional.ofNullable(option.fallback());
            }
        }
        return Optional.ofNullable(option.fallback());
    }

    /** Returns the value or the default of an option that has a default, like {@link #find(Option)}. */
    <T> T get(Option<T> option) {
        return find(option).orElseThrow(() -> new IllegalStateException("no default for " + pathOf(option)));
    }

    /** Returns the component that a key names, or else the key's default; empty when a problem was reported. */
    Optional<Component> component(Option<Object> option, List<CatalogEntry> catalog) {
        Tree tree = entry(option).map(Tree.Entry::value).orElseGet(() -> new Tree.Leaf(location(), option.fallback()));
        return new ComponentReader(reading, option.key(), catalog).one(tree, pathOf(option));
    }

    /**
     * Returns the component that a key names; empty when the key is absent or a problem was reported.
     *
     * @param kind the word for the component in messages
     */
    Optional<Component> findComponent(Option<Object> option, String kind, List<CatalogEntry> catalog) {
        return entry(option)
                .flatMap(entry -> new ComponentReader(reading, kind, catalog).one(entry.value(), pathOf(option)));
    }

    /** Returns the transforms that a key lists, none when it is absent; empty when a problem was reported. */
    Optional<List<Component>> transforms(Option<Object> option, String kind, List<CatalogEntry> catalog) {
        return ComponentReader.ofTransforms(reading, kind, catalog).list(entry(option), pathOf(option));
    }

    /** Returns the transforms of samples that a key lists; empty when a problem was reported. */
    Optional<List<TransformSpec>> transforms(Option<Object> option) {
        return transforms(option, "transform", catalogs().transforms()).map(components -> components.stream()
                .map(component -> new TransformSpec(component.name(), component.options()))
                .toList());
    }

    /** Returns the entry under a key. */
    Optional<Tree.Entry> entry(Option<?> option) {
        return Optional.ofNullable(tree.entries().get(option.key()));
    }

    /** Returns the raw values of options, or nothing when the constructor reported a problem. */
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

    /**
     * Reports a problem with a key at the location of its value, or at the beginning of the section when the key is
     * absent.
     */
    void report(Option<?> option, String message) {
        problems()
                .add(entry(option).map(entry -> entry.value().location()).orElse(location()), pathOf(option), message);
    }

    /** Returns the location at which the section begins. */
    SourceLocation location() {
        return tree.location();
    }

    /** Returns the full path of one of the section's keys. */
    String pathOf(Option<?> option) {
        return YamlTree.join(path, option.key());
    }

    Catalogs catalogs() {
        return reading.catalogs();
    }

    Reading reading() {
        return reading;
    }

    private Problems problems() {
        return reading.problems();
    }

    /** Returns the tree as a mapping, an empty mapping when nothing was written, and nothing for any other tree. */
    static Optional<Tree.Mapping> asMapping(Tree tree) {
        if (tree instanceof Tree.Mapping mapping) {
            return Optional.of(mapping);
        }
        return tree.raw() == null ? Optional.of(Tree.Mapping.empty(tree.location())) : Optional.empty();
    }

    /** Returns the text of a value for messages. */
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
                problems().add(entry.keyLocation(), YamlTree.join(path, key), "unknown key, " + hint(key, known));
            }
        });
    }

    private String hint(String key, List<String> known) {
        Optional<String> meant = Spelling.meant(
                key,
                declared.stream()
                        .flatMap(option -> option.otherNames().stream())
                        .toList());
        if (meant.isPresent()) {
            return meant.get();
        }
        return NearWords.nearest(key, known).isEmpty()
                ? SectionKeys.elsewhere(key, path).orElseGet(() -> Spelling.hint(key, known))
                : Spelling.hint(key, known);
    }

    private void reportBad(Option<?> option, Tree value) {
        if (option.type().holdsChoices()) {
            return; // ComponentReader checks each component separately
        }
        Object raw = value.raw();
        try {
            option.type().parse(raw == null ? Types.NOTHING : raw);
        } catch (IllegalArgumentException e) {
            problems().add(value.location(), pathOf(option), String.valueOf(e.getMessage()));
        }
    }
}
