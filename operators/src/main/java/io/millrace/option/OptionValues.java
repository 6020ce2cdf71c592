package io.millrace.option;

import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The raw values of declared options in a pipeline file. They are checked on creation. They are serializable, because
 * operators carry them to their tasks.
 */
public final class OptionValues implements Serializable {
    private static final long serialVersionUID = 1;

    /** Raw values: strings, boxed numbers, booleans, and lists and maps of them, all serializable. */
    private final Map<String, Object> raw;

    private OptionValues(Map<String, Object> raw) {
        this.raw = raw;
    }

    /** Returns an object without values, in which every option has its default. */
    public static OptionValues none() {
        return new OptionValues(new TreeMap<>());
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
        return new OptionValues(values);
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

    /** Returns the same values, with the text of the given keys changed by a function. */
    public OptionValues mapText(Collection<String> keys, UnaryOperator<String> change) {
        Map<String, Object> changed = new TreeMap<>(raw);
        changed.replaceAll(
                (key, value) -> keys.contains(key) && value instanceof String text ? change.apply(text) : value);
        return new OptionValues(changed);
    }

    /** Returns the same values with another raw value of an option, which must be good. */
    public OptionValues with(Option<?> option, Object value) {
        option.type().parse(value);
        Map<String, Object> changed = new TreeMap<>(raw);
        changed.put(option.key(), value);
        return new OptionValues(changed);
    }

    /** Returns the same values without the value of an option. */
    public OptionValues without(Option<?> option) {
        Map<String, Object> changed = new TreeMap<>(raw);
        changed.remove(option.key());
        return new OptionValues(changed);
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
