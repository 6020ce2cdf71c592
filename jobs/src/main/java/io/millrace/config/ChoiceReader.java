package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.train.spec.TrainSpec.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads what is picked by name: {@code name}, or {@code name: {options}}. */
final class ChoiceReader {
    private final Problems problems;

    /** Keys that choices have beside their own. */
    private final List<Option<?>> common;

    private ChoiceReader(Problems problems, List<Option<?>> common) {
        this.problems = problems;
        this.common = common;
    }

    /** Of transforms that are stages, which have a place. */
    static ChoiceReader ofTransforms(Problems problems) {
        return new ChoiceReader(problems, List.of(TransformPlace.OPTION));
    }

    ChoiceReader(Problems problems) {
        this(problems, List.of());
    }

    /**
     * Reads one choice; empty when a problem was reported.
     *
     * @param kind what it is called in messages, as "model"
     */
    Optional<Part> one(Tree tree, String path, String kind, List<CatalogEntry> known) {
        if (tree instanceof Tree.Leaf leaf && leaf.raw() instanceof String name) {
            return choose(name, Tree.Mapping.empty(leaf.place()), leaf.place(), path, kind, known);
        }
        if (!(tree instanceof Tree.Mapping mapping) || mapping.entries().isEmpty()) {
            String found = Section.describe(tree);
            problems.add(tree.place(), path, "expected a " + kind + " as name or {name: {options}}, found " + found);
            return Optional.empty();
        }
        List<String> names = List.copyOf(mapping.entries().keySet());
        if (names.size() > 1) {
            problems.add(
                    tree.place(),
                    path,
                    "expected one " + kind + ", found the keys " + String.join(", ", names)
                            + "; options stand indented below the name");
            return Optional.empty();
        }
        String name = names.get(0);
        Tree.Entry entry = mapping.entries().entrySet().iterator().next().getValue();
        Optional<Tree.Mapping> options = Section.asMapping(entry.value());
        if (options.isEmpty()) {
            problems.add(
                    entry.value().place(),
                    YamlTree.join(path, name),
                    "expected options as {key: value}, found " + Section.describe(entry.value()));
            return Optional.empty();
        }
        return choose(name, options.get(), entry.keyPlace(), path, kind, known);
    }

    /** Reads a list of choices; empty when one of them was reported. */
    Optional<List<Part>> list(Optional<Tree.Entry> entry, String path, String kind, List<CatalogEntry> known) {
        if (entry.isEmpty() || entry.get().value().raw() == null) {
            return Optional.of(List.of());
        }
        Tree tree = entry.get().value();
        if (!(tree instanceof Tree.Listing listing)) {
            problems.add(tree.place(), path, "expected a list of " + kind + "s, found " + Section.describe(tree));
            return Optional.empty();
        }
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < listing.items().size(); i++) {
            one(listing.items().get(i), YamlTree.join(path, String.valueOf(i)), kind, known)
                    .ifPresent(parts::add);
        }
        return parts.size() == listing.items().size() ? Optional.of(parts) : Optional.empty();
    }

    private Optional<Part> choose(
            String name,
            Tree.Mapping options,
            SourceLocation place,
            String path,
            String kind,
            List<CatalogEntry> known) {
        Optional<CatalogEntry> choice =
                known.stream().filter(c -> c.name().equals(name)).findFirst();
        if (choice.isEmpty()) {
            List<String> names = known.stream().map(CatalogEntry::name).toList();
            problems.add(place, path, "unknown " + kind + " '" + name + "', " + Spelling.hint(name, names));
            return Optional.empty();
        }
        String chosenPath = YamlTree.join(path, name);
        Section section =
                new Section(chosenPath, new Tree.Mapping(place, options.entries()), options(choice.get()), problems);
        if (!nestedSound(section, choice.get(), kind, known)) {
            return Optional.empty();
        }
        return section.values(options(choice.get()))
                .flatMap(values -> checked(choice.get(), values, place, chosenPath));
    }

    private List<Option<?>> options(CatalogEntry choice) {
        return Stream.<Option<?>>concat(choice.options().stream(), common.stream())
                .toList();
    }

    /** Checks the choices within a choice, as transforms within a transform; whether all of them are good. */
    private boolean nestedSound(Section section, CatalogEntry choice, String kind, List<CatalogEntry> known) {
        boolean sound = true;
        for (Option<?> option : choice.options()) {
            Optional<Tree.Entry> entry = section.entry(option);
            if (!option.type().holdsChoices() || entry.isEmpty()) {
                continue;
            }
            Optional<List<Part>> nested = new ChoiceReader(problems).list(entry, section.pathOf(option), kind, known);
            if (nested.isPresent() && nested.get().isEmpty()) {
                problems.add(
                        entry.get().keyPlace(),
                        section.pathOf(option),
                        "expected a list of at least one " + kind + ", found "
                                + Section.describe(entry.get().value()));
            }
            sound &= nested.isPresent() && !nested.get().isEmpty();
        }
        return sound;
    }

    /** The choice, when its values go together. */
    Optional<Part> checked(CatalogEntry choice, OptionValues values, SourceLocation place, String path) {
        try {
            choice.check().accept(values);
            return Optional.of(new Part(choice.name(), values));
        } catch (IllegalArgumentException e) {
            problems.add(place, path, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }
}
