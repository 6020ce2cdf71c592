package io.millrace.option;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What values an option takes and how they are read. Raw values are those of YAML: {@link Long}, {@link Double},
 * {@link Boolean}, {@link String}, {@link List} and {@link java.util.Map}.
 *
 * @param <T> the parsed type
 */
public final class OptionType<T> {
    /** A whole number in the range of {@code int}. */
    public static final OptionType<Integer> INTEGER = new OptionType<>("integer", raw -> {
        if (raw instanceof Long number && number == number.intValue()) {
            return number.intValue();
        }
        throw expected("a whole number", raw);
    });

    /** A whole number in the range of {@code long}. */
    public static final OptionType<Long> LONG = new OptionType<>("integer", raw -> {
        if (raw instanceof Long number) {
            return number;
        }
        throw expected("a whole number", raw);
    });

    /** A finite number. */
    public static final OptionType<Double> NUMBER = new OptionType<>("number", raw -> {
        if (raw instanceof Number number && Double.isFinite(number.doubleValue())) {
            return number.doubleValue();
        }
        throw expected("a number", raw);
    });

    public static final OptionType<Boolean> BOOLEAN = new OptionType<>("true or false", raw -> {
        if (raw instanceof Boolean flag) {
            return flag;
        }
        throw expected("true or false", raw);
    });

    /** Text; numbers are taken as written. */
    public static final OptionType<String> TEXT = new OptionType<>("text", raw -> {
        if (raw instanceof String text && !text.isEmpty()) {
            return text;
        }
        if (raw instanceof Long || raw instanceof Double) {
            return raw.toString();
        }
        throw expected("text", raw);
    });

    private final String name;
    private final Function<Object, T> parser;
    private final boolean choices;

    private OptionType(String name, Function<Object, T> parser) {
        this(name, parser, false);
    }

    private OptionType(String name, Function<Object, T> parser, boolean choices) {
        this.name = name;
        this.parser = parser;
        this.choices = choices;
    }

    /** A type of its own: {@code parser} throws {@link IllegalArgumentException}, best made by {@link #expected}. */
    public static <T> OptionType<T> of(String name, Function<Object, T> parser) {
        return new OptionType<>(name, parser);
    }

    /**
     * A list of what is picked by name from the catalog that the option's owner comes from, as transforms within a
     * transform: each a {@code name} or {@code {name: {options}}}. Who reads a file with lines checks each where it
     * stands; {@code parser} checks them for everyone else.
     */
    public static <T> OptionType<T> choices(String name, Function<Object, T> parser) {
        return new OptionType<>(name, parser, true);
    }

    /** One of an enum's constants, written in lower case. */
    public static <E extends Enum<E>> OptionType<E> choice(Class<E> type) {
        String words = Stream.of(type.getEnumConstants())
                .map(c -> c.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(" | "));
        return new OptionType<>(words, raw -> {
            for (E constant : type.getEnumConstants()) {
                if (raw instanceof String text
                        && constant.name().toLowerCase(Locale.ROOT).equals(text)) {
                    return constant;
                }
            }
            throw expected("one of " + words, raw);
        });
    }

    /** A list of at least one of {@code element}. */
    public static <E> OptionType<List<E>> listOf(OptionType<E> element) {
        return new OptionType<>("list of " + element.name, raw -> {
            if (!(raw instanceof List<?> list) || list.isEmpty()) {
                throw expected("a list of " + element.name, raw);
            }
            List<E> parsed = new ArrayList<>();
            for (Object item : list) {
                parsed.add(element.parse(item));
            }
            return List.copyOf(parsed);
        });
    }

    /** The same type with one more condition; {@code words} completes "expected ...". */
    public OptionType<T> where(Predicate<T> condition, String words) {
        return new OptionType<>(name + ", " + words, raw -> {
            T value = parse(raw);
            if (!condition.test(value)) {
                throw expected(words, raw);
            }
            return value;
        });
    }

    /** Whether it was made by {@link #choices}. */
    public boolean holdsChoices() {
        return choices;
    }

    /** What the documentation calls it. */
    public String name() {
        return name;
    }

    /**
     * Reads a raw value.
     *
     * @throws IllegalArgumentException with a message "expected ..., found ..."
     */
    public T parse(Object raw) {
        return parser.apply(raw);
    }

    /** The exception for a value that is not what it should be. */
    public static IllegalArgumentException expected(String what, Object found) {
        return new IllegalArgumentException("expected " + what + ", found " + describe(found));
    }

    private static String describe(Object found) {
        return found instanceof String text ? "'" + text + "'" : String.valueOf(found);
    }
}
