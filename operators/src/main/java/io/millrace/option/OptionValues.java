package io.millrace.option;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The raw values of declared options in a pipeline file. They are checked on creation. They are serializable, because
 * operators carry them to their tasks.
 */
public final class OptionValues implements Serializable {
    private static final long serialVersionUID = 1;

    /** Raw values: strings, boxed numbers, booleans, and lists and maps of them, all serializable. */
    private final Map<String, Object> raw;

    /** The options that may have a value; null in a task, where nobody asks for them. */
    private final transient @Nullable List<Option<?>> declared;

    private OptionValues(Map<String, Object> raw, List<Option<?>> declared) {
        this.raw = raw;
        this.declared = declared;
    }

    /** Returns an object without values, in which every option has its default. */
    public static OptionValues none() {
        return new OptionValues(new TreeMap<>(), List.of());
    }

    /**
     * Checks the values against their declaration.
     *
     * @throws IllegalArgumentException when a key is unknown, missing or has a bad value; the message names the first
     *     such key. The reader of pipeline files checks each key earlier, so that it reports all problems with their
     *     lines.
     */
    public static OptionValues of(List<Option<?>> declared, Map<String, ?> raw) {
        TreeMap<String, Object> values = new TreeMap<>(raw);
        for (String key : values.keySet()) {
            if (!Option.keys(declared).contains(key)) {
                throw new IllegalArgumentException(
                        "unknown key '" + key + "', expected one of " + Option.keys(declared));
            }
        }
        for (Option<?> option : declared) {
            Object value = values.get(option.key());
            if (value != null) {
                try {
                    option.type().parse(value);
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException("'" + option.key() + "': " + e.getMessage(), e);
                }
            } else if (option.required()) {
                throw new IllegalArgumentException("missing key '" + option.key() + "'");
            }
        }
        return new OptionValues(values, declared);
    }

    /**
     * Returns the value, or the default.
     *
     * @throws IllegalStateException when the option has neither a value nor a default
     */
    public <T> T get(Option<T> option) {
        return find(option)
                .orElseThrow(
                        () -> new IllegalStateException("option '" + option.key() + "' has no value and no default"));
    }

    /** Returns the value, or the default if there is one. */
    public <T> Optional<T> find(Option<T> option) {
        Object value = raw.get(option.key());
        return value == null
                ? Optional.ofNullable(option.fallback())
                : Optional.of(option.type().parse(value));
    }

    /** Returns the same values, with the paths of all {@linkplain OptionType#ofPaths path types} changed by a function. */
    public OptionValues withPaths(UnaryOperator<String> change) {
        Map<String, Object> changed = new TreeMap<>(raw);
        for (Option<?> option : declared()) {
            changed.computeIfPresent(option.key(), (key, value) -> option.type().withPaths(value, change));
        }
        return new OptionValues(changed, declared());
    }

    /** Returns the paths in the values of {@linkplain OptionType#ofPaths path types}, by the keys of their options. */
    public Map<String, List<String>> paths() {
        Map<String, List<String>> paths = new TreeMap<>();
        for (Option<?> option : declared()) {
            Object value = raw.get(option.key());
            List<String> found = new ArrayList<>();
            if (value != null) {
                option.type().withPaths(value, path -> {
                    found.add(path);
                    return path;
                });
            }
            if (!found.isEmpty()) {
                paths.put(option.key(), found);
            }
        }
        return paths;
    }

    /**
     * Returns the raw values that decide which samples a batch has, their order or their values. A value that equals the default is
     * left out. A path stands for its last name, because data may be moved. An option without a declared part counts: refusing
     * a state is better than continuing with other samples.
     */
    public Map<String, Object> identity() {
        Map<String, Object> deciding = new TreeMap<>();
        for (Option<?> option : declared()) {
            Object value = raw.get(option.key());
            boolean decides = option.identity() == null || option.identity() == Identity.BATCHES;
            if (value != null && decides && !option.type().parse(value).equals(option.fallback())) {
                deciding.put(option.key(), option.type().withPaths(value, OptionValues::lastName));
            }
        }
        return deciding;
    }

    private static String lastName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private List<Option<?>> declared() {
        if (declared == null) {
            throw new IllegalStateException("the options of values in a task are not known");
        }
        return declared;
    }

    /** Returns the same values with another raw value of an option, which must be good. */
    public OptionValues with(Option<?> option, Object value) {
        option.type().parse(value);
        Map<String, Object> changed = new TreeMap<>(raw);
        changed.put(option.key(), value);
        List<Option<?>> all = new ArrayList<>(declared());
        all.removeIf(other -> other.key().equals(option.key()));
        all.add(option);
        return new OptionValues(changed, all);
    }

    /** Returns the same values without the value of an option. */
    public OptionValues without(Option<?> option) {
        Map<String, Object> changed = new TreeMap<>(raw);
        changed.remove(option.key());
        return new OptionValues(changed, declared());
    }

    /** Returns the raw values, for display and comparison. */
    public Map<String, Object> raw() {
        return Map.copyOf(raw);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OptionValues values && raw.equals(values.raw);
    }

    @Override
    public int hashCode() {
        return raw.hashCode();
    }

    @Override
    public String toString() {
        return raw.toString();
    }
}
