package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.train.spec.Component;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A reader of components of one kind, written as {@code name} or {@code name: {options}}.
 *
 * <p>Tested by {@code ConfigProblemsTest} and {@code OtherNamesTest}.
 */
final class ComponentReader {
    private final Reading reading;
    private final String kind;
    private final List<CatalogEntry> catalog;
    private final List<Option<?>> common;

    private ComponentReader(Reading reading, String kind, List<CatalogEntry> catalog, List<Option<?>> common) {
        this.reading = reading;
        this.kind = kind;
        this.catalog = catalog;
        this.common = common;
    }

    /**
     * Creates a reader.
     *
     * @param kind the word for a component in messages, such as "model"
     * @param catalog the components that a file may name
     */
    ComponentReader(Reading reading, String kind, List<CatalogEntry> catalog) {
        this(reading, kind, catalog, List.of());
    }

    /** Returns a reader for transforms, each of which may have a {@code place} besides its own options. */
    static ComponentReader ofTransforms(Reading reading, String kind, List<CatalogEntry> catalog) {
        return new ComponentReader(reading, kind, catalog, List.of(TransformPlace.OPTION));
    }

    /** Reads one component; empty when a problem was reported. */
    Optional<Component> one(Tree tree, String path) {
        if (tree instanceof Tree.Leaf leaf && leaf.raw() instanceof String name) {
            return read(name, Tree.Mapping.empty(leaf.location()), path);
        }
        if (!(tree instanceof Tree.Mapping mapping) || mapping.entries().isEmpty()) {
            String found = Section.describe(tree);
            report(tree.location(), path, "expected a " + kind + " as name or {name: {options}}, found " + found);
            return Optional.empty();
        }
        List<String> names = List.copyOf(mapping.entries().keySet());
        if (names.size() > 1) {
            report(
                    tree.location(),
                    path,
                    "expected one " + kind + ", found the keys " + String.join(", ", names)
                            + "; options stand indented below the name");
            return Optional.empty();
        }
        String name = names.get(0);
        Tree.Entry entry = mapping.entries().entrySet().iterator().next().getValue();
        Optional<Tree.Mapping> options = Section.asMapping(entry.value());
        if (options.isEmpty()) {
            report(
                    entry.value().location(),
                    YamlTree.join(path, name),
                    "expected options as {key: value}, found " + Section.describe(entry.value()));
            return Optional.empty();
        }
        // A missing option is reported at the location of the name, not of the first option.
        return read(name, new Tree.Mapping(entry.keyLocation(), options.get().entries()), path);
    }

    /** Reads a list of components; empty when a problem was reported with any of them. */
    Optional<List<Component>> list(Optional<Tree.Entry> entry, String path) {
        if (entry.isEmpty() || entry.get().value().raw() == null) {
            return Optional.of(List.of());
        }
        Tree tree = entry.get().value();
        if (!(tree instanceof Tree.Listing listing)) {
            report(tree.location(), path, "expected a list of " + kind + "s, found " + Section.describe(tree));
            return Optional.empty();
        }
        List<Component> components = new ArrayList<>();
        for (int i = 0; i < listing.items().size(); i++) {
            one(listing.items().get(i), YamlTree.join(path, String.valueOf(i))).ifPresent(components::add);
        }
        return components.size() == listing.items().size() ? Optional.of(components) : Optional.empty();
    }

    private Optional<Component> read(String name, Tree.Mapping options, String path) {
        Optional<CatalogEntry> known =
                catalog.stream().filter(entry -> entry.name().equals(name)).findFirst();
        if (known.isEmpty()) {
            report(
                    options.location(),
                    path,
                    "unknown " + kind + " '" + name + "', " + Spelling.hintOfCatalog(name, catalog));
            return Optional.empty();
        }
        CatalogEntry entry = known.get();
        String componentPath = YamlTree.join(path, name);
        List<Option<?>> declared = Stream.<Option<?>>concat(entry.options().stream(), common.stream())
                .toList();
        Section section = new Section(componentPath, options, declared, reading);
        if (!nestedAreGood(section, entry)) {
            return Optional.empty();
        }
        return section.values(declared)
                .flatMap(values -> checked(reading, entry, values, options.location(), componentPath));
    }

    /** Checks the components within a component, such as the transforms within a transform. */
    private boolean nestedAreGood(Section section, CatalogEntry component) {
        boolean good = true;
        for (Option<?> option : component.options()) {
            Optional<Tree.Entry> entry = section.entry(option);
            if (!option.type().holdsChoices() || entry.isEmpty()) {
                continue;
            }
            Optional<List<Component>> nested =
                    new ComponentReader(reading, kind, catalog).list(entry, section.pathOf(option));
            if (nested.isPresent() && nested.get().isEmpty()) {
                report(
                        entry.get().keyLocation(),
                        section.pathOf(option),
                        "expected a list of at least one " + kind + ", found "
                                + Section.describe(entry.get().value()));
            }
            good &= nested.isPresent() && !nested.get().isEmpty();
        }
        return good;
    }

    /**
     * Returns the component when its options are consistent, and reports a problem otherwise. Options that name a file that does not
     * exist before the first use are checked when the run is planned.
     */
    static Optional<Component> checked(
            Reading reading, CatalogEntry entry, OptionValues values, SourceLocation location, String path) {
        try {
            if (!reading.generated().willHold(values)) {
                entry.check().accept(values);
            }
            return Optional.of(new Component(entry.name(), values));
        } catch (IllegalArgumentException e) {
            reading.problems().add(location, path, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private void report(SourceLocation location, String path, String message) {
        reading.problems().add(location, path, message);
    }
}
