package io.millrace.inspect.reference;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The counts of a comparison.
 *
 * <p>Tested by {@code ReferenceComparisonTest}.
 */
public final class ComparisonResult {
    /** The number of values of each group that are named. */
    static final int MOST_NAMED = 3;

    /** The number of values of all groups of different values that are named. */
    private static final int MOST_DIFFERENT = 100;

    /** The result for one value. */
    enum Outcome {
        EQUAL,
        REFUSED_BY_BOTH,
        REFUSED_BY_MILLRACE,
        REFUSED_BY_REFERENCE,
        DIFFERENT;

        /** Returns the key in the result for programs. */
        String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Values that one side refuses for the same reason.
     *
     * @param count the number of values
     * @param first the first values and, for one of them, the whole reason
     */
    record Group(long count, List<String> first) {}

    /** The counts of a kind of files. */
    static final class Counts {
        private long files;
        private final EnumMap<Outcome, Long> values = new EnumMap<>(Outcome.class);

        long files() {
            return files;
        }

        long of(Outcome outcome) {
            return values.getOrDefault(outcome, 0L);
        }
    }

    private final Map<String, String> versions;
    private final TreeMap<FileKind, Counts> kinds = new TreeMap<>();
    private final Map<Outcome, Map<String, Group>> reasons = new EnumMap<>(Outcome.class);
    private final List<String> different = new ArrayList<>();
    private final Map<String, Group> skipped = new TreeMap<>();

    ComparisonResult(Map<String, String> versions) {
        this.versions = versions;
    }

    void addFile(FileKind kind) {
        kinds.computeIfAbsent(kind, any -> new Counts()).files++;
    }

    /**
     * Adds a value.
     *
     * @param name the place of the value
     * @param reason the reason of a refusal, or the difference; empty for equal values
     */
    void add(FileKind kind, Outcome outcome, String name, String reason) {
        kinds.computeIfAbsent(kind, any -> new Counts()).values.merge(outcome, 1L, Long::sum);
        if (outcome == Outcome.DIFFERENT) {
            if (different.size() < MOST_DIFFERENT) {
                different.add(name + ": " + reason);
            }
        } else if (outcome != Outcome.EQUAL) {
            add(
                    reasons.computeIfAbsent(outcome, any -> new TreeMap<>()),
                    general(reason.replace(name.split(" ", 2)[0], "FILE")),
                    name,
                    reason);
        }
    }

    /** Adds a file that is not compared. */
    void skip(String reason, String name) {
        add(skipped, reason, name, "");
    }

    private static void add(Map<String, Group> groups, String group, String name, String reason) {
        Group known = groups.getOrDefault(group, new Group(0, List.of()));
        List<String> first = known.first;
        if (first.size() < MOST_NAMED) {
            first = new ArrayList<>(first);
            first.add(known.count == 0 && !reason.isEmpty() ? name + ": " + reason : name);
        }
        groups.put(group, new Group(known.count + 1, List.copyOf(first)));
    }

    /** Returns a reason without the numbers and names in it, so that alike reasons are one group. */
    private static String general(String reason) {
        return reason.replaceAll("\\B'[^']*'|\"[^\"]*\"", "'...'")
                .replaceAll("\\b[0-9a-fA-F]{8,}\\b", "N")
                .replaceAll("[0-9]+", "N");
    }

    /** Returns whether a value differs. */
    public boolean hasDifferences() {
        return kinds.values().stream().anyMatch(counts -> counts.of(Outcome.DIFFERENT) > 0);
    }

    Map<String, String> versions() {
        return versions;
    }

    Map<FileKind, Counts> kinds() {
        return kinds;
    }

    /** Returns the groups of values with this outcome. */
    Map<String, Group> groups(Outcome outcome) {
        return reasons.getOrDefault(outcome, Map.of());
    }

    /** Returns the files that were not compared, by the reason. */
    Map<String, Group> skipped() {
        return skipped;
    }

    /** Returns the places of the first different values, each with the difference. */
    List<String> different() {
        return different;
    }

    /** Returns the result as JSON. Scripts rely on its keys. */
    public Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("versions", versions);
        Map<String, Object> files = new LinkedHashMap<>();
        kinds.forEach((kind, counts) -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("files", counts.files);
            for (Outcome outcome : Outcome.values()) {
                one.put(outcome.key(), counts.of(outcome));
            }
            files.put(kind.word(), one);
        });
        json.put("kinds", files);
        json.put("different", different);
        for (Outcome outcome : List.of(Outcome.REFUSED_BY_MILLRACE, Outcome.REFUSED_BY_REFERENCE)) {
            json.put(outcome.key(), json(groups(outcome)));
        }
        json.put("not_compared", json(skipped));
        return json;
    }

    private static Map<String, Object> json(Map<String, Group> groups) {
        Map<String, Object> json = new LinkedHashMap<>();
        groups.forEach((reason, group) -> json.put(reason, Map.of("count", group.count, "first", group.first)));
        return json;
    }
}
