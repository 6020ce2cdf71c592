package io.millrace.config;

import io.millrace.dataset.PartGroup;
import io.millrace.dataset.PartSpec;
import io.millrace.dataset.PartSpec.Share;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The keys of a dataset that choose one part of it, read into a {@link PartSpec}. */
final class PartsConfig {
    private static final String FOLDER = "folder";
    private static final String FIELD = "field";

    static final Option<String> PART = Option.of(
                    "part", Types.name(), "The part of the samples to use, one of parts. Absent: all samples.")
            .optional()
            .decides(Identity.BATCHES);

    static final Option<List<Share>> PARTS = Option.of(
                    "parts",
                    OptionType.of("{name: fraction}", PartsConfig::shares).writtenAs(PartsConfig::written),
                    "The parts and their fractions, such as {train: 0.9, validation: 0.1}, at most 1 together. A part depends only"
                            + " on its fraction and on the sum of the fractions before it.")
            .optional()
            .decides(Identity.BATCHES);

    static final Option<Long> SEED = Option.of(
                    "parts_seed",
                    OptionType.LONG,
                    "The seed that decides which sample is in which part. order.seed does not change the parts.")
            .orElse(0L)
            .decides(Identity.BATCHES);

    static final Option<PartGroup> GROUP = Option.of(
                    "parts_group",
                    OptionType.of("folder | {field: name}", PartsConfig::group).writtenAs(PartsConfig::written),
                    "The samples that are in the same part: those in the same folder, or those with the same value of a field,"
                            + " such as {field: patient}. Absent: each sample stands for itself.")
            .optional()
            .decides(Identity.BATCHES);

    static final Option<Boolean> STRATIFIED = Option.of(
                    "parts_stratified", OptionType.BOOLEAN, "Whether each part has the same share of each label.")
            .orElse(false)
            .decides(Identity.BATCHES);

    static final List<Option<?>> OPTIONS = List.of(PART, PARTS, SEED, GROUP, STRATIFIED);

    private PartsConfig() {}

    private static List<Share> shares(Object raw) {
        if (!(raw instanceof Map<?, ?> map) || map.isEmpty()) {
            throw OptionType.expected("names with their fractions, such as {train: 0.9, validation: 0.1}", raw);
        }
        List<Share> shares = new ArrayList<>();
        map.forEach((name, fraction) -> shares.add(new Share(
                Types.name().parse(name), OptionType.SHARE.parse(fraction == null ? Types.NOTHING : fraction))));
        return List.copyOf(shares);
    }

    private static Object written(List<Share> shares) {
        Map<String, Object> fractions = new LinkedHashMap<>();
        shares.forEach(share -> fractions.put(share.name(), share.fraction()));
        return fractions;
    }

    private static PartGroup group(Object raw) {
        if (FOLDER.equals(raw)) {
            return PartGroup.FOLDER;
        }
        if (raw instanceof Map<?, ?> map && map.size() == 1 && map.get(FIELD) != null) {
            return new PartGroup(OptionType.TEXT.parse(map.get(FIELD)));
        }
        throw OptionType.expected("folder, or a field such as {field: patient}", raw);
    }

    private static Object written(PartGroup group) {
        String field = group.field();
        return field == null ? FOLDER : Map.of(FIELD, field);
    }

    /** Returns the part that a dataset's section chooses; null for all samples, or when a problem was reported. */
    static @Nullable PartSpec read(Section section) {
        Optional<String> part = section.find(PART);
        Optional<List<Share>> parts = section.find(PARTS);
        if (part.isEmpty() || parts.isEmpty()) {
            reportMissing(section);
            return null;
        }
        PartSpec spec = null;
        try {
            spec = new PartSpec(
                    part.get(),
                    parts.get(),
                    section.get(SEED),
                    section.find(GROUP).orElse(null),
                    section.get(STRATIFIED));
        } catch (IllegalArgumentException e) {
            section.report(PART, String.valueOf(e.getMessage()));
        }
        try {
            PartSpec.requireFractions(parts.get());
        } catch (IllegalArgumentException e) {
            section.report(PARTS, String.valueOf(e.getMessage()));
            return null;
        }
        return spec;
    }

    /**
     * Returns the names of the parts of the training dataset, also when a problem with the dataset was reported; empty when it
     * has none.
     */
    static List<String> names(Section root) {
        return root.entry(DataConfig.DATASET)
                .flatMap(dataset -> entry(dataset.value(), PARTS.key()))
                .filter(parts -> parts.value() instanceof Tree.Mapping)
                .map(parts ->
                        List.copyOf(((Tree.Mapping) parts.value()).entries().keySet()))
                .orElse(List.of());
    }

    private static Optional<Tree.Entry> entry(Tree tree, String key) {
        return tree instanceof Tree.Mapping mapping
                ? Optional.ofNullable(mapping.entries().get(key))
                : Optional.empty();
    }

    /** Reports keys of parts without the two keys that every choice of a part has. */
    private static void reportMissing(Section section) {
        Optional<Option<?>> first = OPTIONS.stream()
                .filter(option -> section.entry(option).isPresent())
                .findFirst();
        if (first.isEmpty()) {
            return;
        }
        for (Option<?> option : List.of(PART, PARTS)) {
            if (section.entry(option).isEmpty()) {
                section.report(
                        option,
                        "missing: " + first.get().key()
                                + " needs part and parts, as in part: train, parts: {train: 0.9,"
                                + " validation: 0.1}");
            }
        }
    }

    /** Returns the same choice as the values that decide a run's identity; the parts have an order. */
    static Map<String, Object> identity(PartSpec part) {
        Map<String, Object> identity = new LinkedHashMap<>();
        identity.put(PART.key(), part.name());
        identity.put(PARTS.key(), part.shares().stream().map(Share::toString).toList());
        identity.put(SEED.key(), part.seed());
        PartGroup group = part.group();
        if (group != null) {
            identity.put(GROUP.key(), written(group));
        }
        identity.put(STRATIFIED.key(), part.stratified());
        return identity;
    }

    static void write(@Nullable PartSpec part, WrittenConfig section) {
        if (part != null) {
            section.put(PART, part.name())
                    .put(PARTS, part.shares())
                    .put(SEED, part.seed())
                    .put(GROUP, Optional.ofNullable(part.group()))
                    .put(STRATIFIED, part.stratified());
        }
    }
}
