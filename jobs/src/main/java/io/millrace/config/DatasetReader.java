package io.millrace.config;

import io.millrace.dataset.DatasetSpec;
import io.millrace.option.Option;
import io.millrace.train.spec.TrainSpec.Part;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads datasets. The format decides which keys one has, so it is looked at before the section is. */
final class DatasetReader {
    private final Catalogs catalogs;
    private final ChoiceReader choices;
    private final Problems problems;

    DatasetReader(Catalogs catalogs, ChoiceReader choices, Problems problems) {
        this.catalogs = catalogs;
        this.choices = choices;
        this.problems = problems;
    }

    /**
     * Reads a dataset's section; empty when a problem was reported.
     *
     * @param also keys that it has here beside those of any dataset and those of its format
     */
    Optional<DatasetConfig> read(Tree.Mapping tree, String path, List<Option<?>> also) {
        List<Option<?>> common = new ArrayList<>(DatasetConfig.OPTIONS);
        common.addAll(also);
        Tree.Entry entry = tree.entries().get(DatasetConfig.FORMAT.key());
        Object name = entry == null ? null : entry.value().raw();
        Optional<CatalogEntry> format =
                catalogs.formats().stream().filter(f -> f.name().equals(name)).findFirst();
        if (format.isEmpty()) {
            unknownFormat(tree, path, common, name);
            return Optional.empty();
        }
        List<Option<?>> declared = new ArrayList<>(common);
        declared.addAll(format.get().options());
        Section section = new Section(path, tree, declared, problems);
        Optional<Part> generate = section.entry(DatasetConfig.GENERATE)
                .flatMap(e -> choices.one(
                        e.value(), section.pathOf(DatasetConfig.GENERATE), "generator", catalogs.generators()));
        return section.values(format.get().options())
                .flatMap(values -> choices.checked(format.get(), values, tree.place(), path))
                .map(part -> new DatasetConfig(new DatasetSpec(part.name(), part.options()), generate));
    }

    /** Checks what any dataset has; the other keys may be right for the format that was meant. */
    private void unknownFormat(Tree.Mapping tree, String path, List<Option<?>> common, @Nullable Object name) {
        Tree.Mapping known = new Tree.Mapping(tree.place(), new LinkedHashMap<>(tree.entries()));
        known.entries().keySet().retainAll(Option.keys(common));
        Section section = new Section(path, known, common, problems);
        section.entry(DatasetConfig.FORMAT).ifPresent(entry -> {
            if (name instanceof String text) {
                List<String> names =
                        catalogs.formats().stream().map(CatalogEntry::name).toList();
                problems.add(
                        entry.value().place(),
                        section.pathOf(DatasetConfig.FORMAT),
                        "unknown format '" + text + "', " + Spelling.hint(text, names));
            }
        });
    }
}
