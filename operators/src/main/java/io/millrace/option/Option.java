package io.millrace.option;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A key of a pipeline file.
 *
 * <p>An option is declared as {@code Option.of("size", OptionType.INTEGER, "Rows of a batch.").orElse(64)}.
 *
 * @param <T> the type of the parsed value
 */
public final class Option<T> {
    private final String key;
    private final OptionType<T> type;
    private final @Nullable T fallback;
    private final boolean required;
    private final String help;
    private final @Nullable Identity identity;
    private final List<OtherName> alsoCalled;

    private Option(
            String key,
            OptionType<T> type,
            @Nullable T fallback,
            boolean required,
            String help,
            @Nullable Identity identity,
            List<OtherName> alsoCalled) {
        this.key = key;
        this.type = type;
        this.fallback = fallback;
        this.required = required;
        this.help = help;
        this.identity = identity;
        this.alsoCalled = alsoCalled;
    }

    /**
     * Returns a required option. Call {@link #orElse} or {@link #optional} for an option that may be absent.
     * {@code help} is one line with full sentences.
     */
    public static <T> Option<T> of(String key, OptionType<T> type, String help) {
        return new Option<>(key, type, null, true, help, null, List.of());
    }

    /** Returns the same option with a default. */
    public Option<T> orElse(T value) {
        return new Option<>(key, type, value, false, help, identity, alsoCalled);
    }

    /** Returns the same option without a default. Read it with {@link OptionValues#find}. */
    public Option<T> optional() {
        return new Option<>(key, type, null, false, help, identity, alsoCalled);
    }

    /**
     * Returns the same option with its part in the identity of a run. Options of sections and of dataset formats need one. For those
     * of transforms and models, the key that holds the transform or model decides.
     */
    public Option<T> decides(Identity part) {
        return new Option<>(key, type, fallback, required, help, part, alsoCalled);
    }

    /** Returns the same option with names that other programs have for it, for hints where a pipeline file uses one of them. */
    public Option<T> alsoCalled(String... names) {
        return new Option<>(key, type, fallback, required, help, identity, OtherName.of(key, names));
    }

    /** Returns the same option with hints for keys in whose place this option is written in another way. */
    public Option<T> alsoCalled(List<OtherName> names) {
        return new Option<>(key, type, fallback, required, help, identity, List.copyOf(names));
    }

    /** Returns the names that other programs have for the option. */
    public List<OtherName> otherNames() {
        return alsoCalled;
    }

    public String key() {
        return key;
    }

    public OptionType<T> type() {
        return type;
    }

    /** Returns the default, or null when there is none. */
    public @Nullable T fallback() {
        return fallback;
    }

    public boolean required() {
        return required;
    }

    public String help() {
        return help;
    }

    /** Returns the option's part in the identity of a run, or null when none was declared. */
    public @Nullable Identity identity() {
        return identity;
    }

    /** Returns the keys of options. */
    public static List<String> keys(List<Option<?>> options) {
        return options.stream().map(o -> o.key).toList();
    }

    @Override
    public String toString() {
        return key;
    }
}
