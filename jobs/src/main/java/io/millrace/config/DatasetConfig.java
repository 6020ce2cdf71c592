package io.millrace.config;

import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.PartSpec;
import io.millrace.dataset.StorageOptions;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.train.spec.Component;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Samples to train on or to evaluate with.
 *
 * <p>Tested by {@code ConfigReaderTest}.
 *
 * @param spec the format and its options
 * @param generate the generator that makes the data when the dataset's path does not exist; its relative paths are
 *     relative to the working directory
 */
public record DatasetConfig(DatasetSpec spec, Optional<Component> generate) {
    static final Option<String> FORMAT = Option.of(
                    "format", OptionType.TEXT, "The format of the samples: one of the dataset formats below.")
            .decides(Identity.BATCHES);
    static final Option<Object> GENERATE = Option.of(
                    "generate",
                    Types.structure("generator"),
                    "The generator that makes the data if the path does not exist.")
            .optional()
            .decides(Identity.NOTHING);

    static final Option<Boolean> FOLLOW_LINKS = Option.of(
                    "follow_links",
                    OptionType.BOOLEAN,
                    "Whether links in the dataset's folders may lead out of them. With false, a dataset with such links is"
                            + " refused. path itself may always be a link.")
            .orElse(false)
            .decides(Identity.NOTHING);

    static final Option<String> SUBSET = Option.of(
                    "subset",
                    OptionType.PATH,
                    "A file that names the samples to use, each once: a .npy array of indexes, or text with an index or a name in each"
                            + " line. Absent: all samples.")
            .optional()
            .decides(Identity.BATCHES);

    /** The keys of every dataset besides those of its format. */
    static final List<Option<?>> OPTIONS = Stream.concat(
                    Stream.of(FORMAT, GENERATE, FOLLOW_LINKS, SUBSET), PartsConfig.OPTIONS.stream())
            .toList();

    /**
     * Reads the dataset under a key; empty when the key is absent or a problem was reported. The format decides which keys
     * a dataset has, so it is read first.
     *
     * @param common the keys that this dataset has besides those of its format
     */
    static Optional<DatasetConfig> read(Section parent, Option<Object> key, List<Option<?>> common) {
        return parent.mapping(key).flatMap(mapping -> read(parent, key, mapping, common));
    }

    private static Optional<DatasetConfig> read(
            Section parent, Option<Object> key, Tree.Mapping mapping, List<Option<?>> common) {
        String path = parent.pathOf(key);
        Reading reading = parent.reading();
        List<CatalogEntry> formats = reading.catalogs().formats();
        Tree.Entry entry = mapping.entries().get(FORMAT.key());
        Object name = entry == null ? null : entry.value().raw();
        Optional<CatalogEntry> format =
                formats.stream().filter(f -> f.name().equals(name)).findFirst();
        if (format.isEmpty()) {
            List<Option<?>> keys = new ArrayList<>(common);
            if (entry == null) {
                keys.remove(FORMAT); // the message of a missing key would not list the formats
            }
            reportUnknown(new Section(path, onlyKnown(mapping, keys), keys, reading), entry, formats);
            return Optional.empty();
        }
        List<Option<?>> declared = new ArrayList<>(common);
        declared.addAll(format.get().options());
        Section section = new Section(path, mapping, declared, reading);
        Optional<Component> generate =
                section.findComponent(GENERATE, "generator", reading.catalogs().generators());
        int before = reading.problems().count();
        PartSpec part = PartsConfig.read(section);
        Optional<String> subset = section.find(SUBSET);
        if (part != null && subset.isPresent()) {
            section.report(SUBSET, "expected either subset or parts, found both");
        }
        boolean goodPart = reading.problems().count() == before;
        return section.values(format.get().options())
                .flatMap(values -> ComponentReader.checked(reading, format.get(), values, mapping.location(), path))
                .filter(found -> goodPart)
                .map(found -> new DatasetConfig(
                        new DatasetSpec(
                                found.name(),
                                found.options(),
                                StorageOptions.STANDARD.withFollowLinks(section.get(FOLLOW_LINKS)),
                                part,
                                subset.orElse(null)),
                        generate));
    }

    /**
     * Returns only the keys that every dataset has. The other keys may be valid for the format that the user intended.
     */
    private static Tree.Mapping onlyKnown(Tree.Mapping mapping, List<Option<?>> common) {
        Tree.Mapping known = new Tree.Mapping(mapping.location(), new LinkedHashMap<>(mapping.entries()));
        known.entries().keySet().retainAll(Option.keys(common));
        return known;
    }

    /** Reports a format that is missing or not installed. */
    private static void reportUnknown(Section section, Tree.@Nullable Entry entry, List<CatalogEntry> formats) {
        if (entry == null) {
            String names = formats.stream().map(CatalogEntry::name).collect(Collectors.joining(", "));
            section.report(FORMAT, "missing: the format of the samples, one of " + names);
        } else if (entry.value().raw() instanceof String text) {
            section.report(FORMAT, "unknown format '" + text + "', " + Spelling.hintOfCatalog(text, formats));
        }
    }

    /** Returns the values that decide the samples, their order and their values, by the paths of their keys in a section. */
    Map<String, Object> identity(String section) {
        Map<String, Object> identity = new TreeMap<>();
        identity.put(YamlTree.join(section, FORMAT.key()), spec.format());
        spec.options()
                .identity()
                .forEach((key, value) -> identity.put(YamlTree.join(section, key), Secrets.maskedValue(value)));
        PartSpec part = spec.part();
        if (part != null) {
            PartsConfig.identity(part).forEach((key, value) -> identity.put(YamlTree.join(section, key), value));
        }
        String subset = spec.subset();
        if (subset != null) {
            identity.put(YamlTree.join(section, SUBSET.key()), Secrets.maskedValue(subset));
        }
        return identity;
    }

    void write(WrittenConfig section) {
        section.put(FORMAT, spec.format())
                .putAll(spec.options())
                .put(GENERATE, generate)
                .put(FOLLOW_LINKS, spec.storage().followLinks())
                .put(SUBSET, Optional.ofNullable(spec.subset()));
        PartsConfig.write(spec.part(), section);
    }

    /** Returns the same samples, whose files are read with the options of the section {@code storage}. */
    DatasetConfig withStorage(StorageOptions section) {
        StorageOptions storage = section.withFollowLinks(spec.storage().followLinks());
        return new DatasetConfig(spec.with(storage), generate);
    }

    /** Returns another part of the same dataset. */
    DatasetConfig withPart(PartSpec other) {
        return new DatasetConfig(spec.withPart(other), generate);
    }
}
