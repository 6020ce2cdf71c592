package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.transform.TransformSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One of the datasets that a run trains on.
 *
 * <p>Tested by {@code MixConfigTest}.
 *
 * @param name the name in the section of several datasets; empty for the dataset of a run without a mixture
 * @param transforms the transforms of the samples of this dataset, before those of all samples
 * @param maxRepeats the largest number of times that the dataset is repeated after its first pass; empty for any number
 */
public record SourceConfig(
        String name, DatasetConfig dataset, List<TransformSpec> transforms, Optional<Integer> maxRepeats) {
    static final Option<Object> SECTION = Option.of(
                    "datasets",
                    Types.structure("{name: dataset}"),
                    "The datasets of a mixture, by their names, in place of dataset. Each has the keys of dataset without epochs, and"
                            + " transforms and max_repeats. A dataset may be added at the end when a run is resumed.")
            .optional();
    static final Option<Object> TRANSFORMS = Option.of(
                    "transforms",
                    Types.structure("list of transforms"),
                    "The transforms of the samples of this dataset, before the transforms of all samples.")
            .optional()
            .decides(Identity.BATCHES);
    static final Option<Integer> MAX_REPEATS = Option.of(
                    "max_repeats",
                    Types.atLeast(0),
                    "The largest number of times that the dataset is repeated, in a new order, after its first pass. 0: each sample is"
                            + " used at most once. A mixture that needs more is refused before the start. Absent: any number.")
            .optional()
            .decides(Identity.NOTHING);

    /** The keys of each dataset besides those of its format. */
    static final List<Option<?>> OPTIONS = Stream.concat(
                    DatasetConfig.OPTIONS.stream(), Stream.of(TRANSFORMS, MAX_REPEATS))
            .toList();

    /** The first parts of the names of other stages, which a dataset's name would make ambiguous. */
    private static final String EVALUATE = EvaluateConfig.SECTION.key();

    public SourceConfig {
        transforms = List.copyOf(transforms);
    }

    /** Returns the only dataset of a run. */
    static SourceConfig only(DatasetConfig dataset) {
        return new SourceConfig("", dataset, List.of(), Optional.empty());
    }

    /** Reads the section {@code datasets}; empty when the key is absent or a problem was reported. */
    static Optional<List<SourceConfig>> read(Section root) {
        return root.mapping(SECTION).flatMap(mapping -> read(root, mapping));
    }

    private static Optional<List<SourceConfig>> read(Section root, Tree.Mapping mapping) {
        if (mapping.entries().isEmpty()) {
            root.report(SECTION, "expected at least one dataset as {name: dataset}, found none");
            return Optional.empty();
        }
        List<Option<?>> names = mapping.entries().keySet().stream()
                .<Option<?>>map(SourceConfig::named)
                .toList();
        Section all = new Section(SECTION.key(), mapping, names, root.reading());
        List<SourceConfig> sources = new ArrayList<>();
        for (Option<?> name : names) {
            read(all, name).ifPresent(sources::add);
        }
        return sources.size() == names.size() ? Optional.of(sources) : Optional.empty();
    }

    private static Optional<SourceConfig> read(Section all, Option<?> name) {
        if (!name.key().matches("[A-Za-z0-9][A-Za-z0-9_-]*") || name.key().startsWith(EVALUATE)) {
            all.report(
                    name,
                    "expected a name of letters, digits, '-' and '_', with a letter or digit first, that does not begin with "
                            + EVALUATE + ", found '" + name.key() + "'");
            return Optional.empty();
        }
        Optional<DatasetConfig> dataset = DatasetConfig.read(all, named(name.key()), OPTIONS);
        Optional<Section> own = all.mapping(name)
                .map(keys ->
                        new Section(all.pathOf(name), onlyOwn(keys), List.of(TRANSFORMS, MAX_REPEATS), all.reading()));
        Optional<List<TransformSpec>> transforms = own.flatMap(section -> section.transforms(TRANSFORMS));
        if (dataset.isEmpty() || transforms.isEmpty()) {
            return Optional.empty();
        }
        for (TransformSpec transform : transforms.get()) {
            if (transform.options().find(TransformPlace.OPTION).isPresent()) {
                own.get()
                        .report(
                                TRANSFORMS,
                                transform.name() + ": expected no key " + TransformPlace.OPTION.key()
                                        + ", because the transforms of one dataset run on the server");
            }
        }
        return Optional.of(new SourceConfig(
                name.key(), dataset.get(), transforms.get(), own.flatMap(section -> section.find(MAX_REPEATS))));
    }

    private static Option<Object> named(String name) {
        return Option.of(name, Types.structure("dataset"), "A dataset of the mixture.")
                .optional();
    }

    /** Returns the keys of a dataset that are read here; the others are checked with those of its format. */
    private static Tree.Mapping onlyOwn(Tree.Mapping keys) {
        Tree.Mapping own = new Tree.Mapping(keys.location(), new LinkedHashMap<>(keys.entries()));
        own.entries().keySet().retainAll(List.of(TRANSFORMS.key(), MAX_REPEATS.key()));
        return own;
    }

    /** Returns the path of the section with the keys of the dataset. */
    public String section() {
        return name.isEmpty() ? DataConfig.DATASET.key() : YamlTree.join(SECTION.key(), name);
    }

    /** Returns the values that decide the samples and their values, by the paths of their keys. */
    Map<String, Object> identity() {
        Map<String, Object> identity = new TreeMap<>(dataset.identity(section()));
        if (!transforms.isEmpty()) {
            WrittenConfig written = new WrittenConfig().transforms(TRANSFORMS, transforms, List.of());
            written.inOrderOf(List.of())
                    .forEach((key, value) -> identity.put(YamlTree.join(section(), key), Secrets.maskedValue(value)));
        }
        return identity;
    }

    /** Writes the section {@code datasets}. */
    static void write(List<SourceConfig> sources, WrittenConfig section) {
        for (SourceConfig source : sources) {
            section.section(named(source.name), source, SourceConfig::write);
        }
    }

    private void write(WrittenConfig section) {
        dataset.write(section);
        if (!transforms.isEmpty()) {
            section.transforms(TRANSFORMS, transforms, List.of());
        }
        section.put(MAX_REPEATS, maxRepeats);
    }

    /** Returns the same samples of another dataset, with other transforms of their own. */
    SourceConfig with(DatasetConfig otherDataset, List<TransformSpec> otherTransforms) {
        return new SourceConfig(name, otherDataset, otherTransforms, maxRepeats);
    }
}
