package io.millrace.option;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The values that an option accepts, and the parser that reads them. Raw values are those of YAML: {@link Long},
 * {@link Double}, {@link Boolean}, {@link String}, {@link List} and {@link java.util.Map}.
 *
 * @param <T> the type of the parsed value
 */
public final class OptionType<T> {
    private static final Map<String, Long> BYTE_UNITS = byteUnits();

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

    /** Text. Numbers are accepted as text. */
    public static final OptionType<String> TEXT = new OptionType<>("text", raw -> {
        if (raw instanceof String text && !text.isEmpty()) {
            return text;
        }
        if (raw instanceof Long || raw instanceof Double) {
            return raw.toString();
        }
        throw expected("text", raw);
    });

    /** The path of a file or folder, or its address in a file system that Flink supports. */
    public static final OptionType<String> PATH = TEXT.ofPaths();

    /**
     * A number of bytes: a whole number, or one with a unit, such as 256MB (1 MB is 10^6 bytes) or 64KiB (1 KiB is 2^10
     * bytes).
     */
    public static final OptionType<Long> BYTES = new OptionType<>("bytes, such as 256MB or 64KiB", raw -> {
        if (raw instanceof Long number && number >= 0) {
            return number;
        }
        Matcher matcher = Pattern.compile("([0-9]{1,15}) ?([A-Za-z]*)").matcher(raw.toString());
        Long unit = matcher.matches() ? BYTE_UNITS.get(matcher.group(2).isEmpty() ? "B" : matcher.group(2)) : null;
        if (raw instanceof String && unit != null) {
            try {
                return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
            } catch (ArithmeticException e) {
                throw tooMany(raw, e);
            }
        }
        throw expected("a number of bytes, with a unit of " + BYTE_UNITS.keySet() + " if any", raw);
    });

    /** A share from 0 to 1, which can also be written as a percentage. */
    public static final OptionType<Double> SHARE = new OptionType<>(
            "share: 0 to 1, or 0% to 100%",
            raw -> {
                double value = Double.NaN;
                if (raw instanceof Number number) {
                    value = number.doubleValue();
                } else if (raw instanceof String text) {
                    Matcher matcher =
                            Pattern.compile("([0-9]+(?:\\.[0-9]+)?) ?%").matcher(text);
                    value = matcher.matches() ? Double.parseDouble(matcher.group(1)) / 100 : Double.NaN;
                }
                if (value >= 0 && value <= 1) {
                    return value;
                }
                throw expected("a share from 0 to 1, or a percentage such as 0.1%", raw);
            });

    private final String name;
    private final Function<Object, T> parser;
    private final boolean choices;

    /** The change of the paths in a raw value. */
    private final PathChange paths;

    /** The way back from a parsed value to one as a pipeline file has it. */
    private final Function<T, Object> writer;

    /** A function that changes the paths in a raw value. */
    @FunctionalInterface
    public interface PathChange {
        /** Returns the raw value with other paths. */
        Object apply(Object raw, UnaryOperator<String> change);
    }

    private static Map<String, Long> byteUnits() {
        Map<String, Long> units = new LinkedHashMap<>();
        units.put("B", 1L);
        units.put("kB", 1_000L);
        units.put("KB", 1_000L);
        units.put("MB", 1_000_000L);
        units.put("GB", 1_000_000_000L);
        units.put("TB", 1_000_000_000_000L);
        units.put("KiB", 1L << 10);
        units.put("MiB", 1L << 20);
        units.put("GiB", 1L << 30);
        units.put("TiB", 1L << 40);
        return units;
    }

    private static IllegalArgumentException tooMany(Object raw, ArithmeticException cause) {
        IllegalArgumentException expected = expected("fewer than 2^63 bytes", raw);
        expected.initCause(cause);
        return expected;
    }

    private OptionType(String name, Function<Object, T> parser) {
        this(name, parser, false, (raw, change) -> raw, value -> value);
    }

    private OptionType(
            String name, Function<Object, T> parser, boolean choices, PathChange paths, Function<T, Object> writer) {
        this.name = name;
        this.parser = parser;
        this.choices = choices;
        this.paths = paths;
        this.writer = writer;
    }

    /**
     * Returns a type with its own parser. The parser throws an {@link IllegalArgumentException} for a bad value,
     * preferably the exception that {@link #expected} returns.
     */
    public static <T> OptionType<T> of(String name, Function<Object, T> parser) {
        return new OptionType<>(name, parser);
    }

    /**
     * Returns the type of a list of components of the same kind as the component that has the option, such as
     * transforms within a transform. Each component is a {@code name} or {@code {name: {options}}}. The reader of a
     * pipeline file checks each component at its source location. {@code parser} checks the components for all other
     * callers.
     *
     * @param paths the change of the paths among the components' options
     */
    public static <T> OptionType<T> choices(String name, Function<Object, T> parser, PathChange paths) {
        return new OptionType<>(name, parser, true, paths, value -> value);
    }

    /** Returns the type of the integers of a range. */
    public static OptionType<Integer> integers(int least, int most) {
        return INTEGER.where(n -> n >= least && n <= most, least + " to " + most);
    }

    /** Returns the type of an enum's constants, written in lower case. */
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

    /** Returns the type of a list with at least one element. */
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

    /** Returns the same type with one more condition; {@code expected} completes "expected ...". */
    public OptionType<T> where(Predicate<T> condition, String expected) {
        return new OptionType<>(
                name + ", " + expected,
                raw -> {
                    T value = parse(raw);
                    if (!condition.test(value)) {
                        throw expected(expected, raw);
                    }
                    return value;
                },
                false,
                paths,
                writer);
    }

    /**
     * Returns the same type, whose values are paths, or lists of paths. Relative paths are those of the working directory of the
     * command, so that a job on a cluster gets them as absolute ones.
     *
     * @param words the texts that are no paths
     */
    public OptionType<T> ofPaths(String... words) {
        Set<String> others = Set.of(words);
        return new OptionType<>(name, parser, choices, (raw, change) -> changed(raw, others, change), writer);
    }

    /** Returns the same type, whose values are structures with paths in them. */
    public OptionType<T> ofPaths(PathChange change) {
        return new OptionType<>(name, parser, choices, change, writer);
    }

    /** Returns the same type, whose values are written into a pipeline file in another way than as they are. */
    public OptionType<T> writtenAs(Function<T, Object> written) {
        return new OptionType<>(name, parser, choices, paths, written);
    }

    private static Object changed(Object raw, Set<String> words, UnaryOperator<String> change) {
        if (raw instanceof List<?> list) {
            return list.stream().map(item -> changed(item, words, change)).toList();
        }
        return raw instanceof String text && !words.contains(text) ? change.apply(text) : raw;
    }

    /** Returns a raw value with its paths changed, which is the same value for types without paths. */
    Object withPaths(Object raw, UnaryOperator<String> change) {
        return paths.apply(raw, change);
    }

    /** Returns whether {@link #choices} created the type. */
    public boolean holdsChoices() {
        return choices;
    }

    /** Returns the name of the type in the documentation. */
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

    /** Returns a value that {@link #parse} has returned as a pipeline file has it. */
    public Object written(T value) {
        return writer.apply(value);
    }

    /** Returns the exception for a value that the type does not accept. */
    public static IllegalArgumentException expected(String what, Object found) {
        return new IllegalArgumentException("expected " + what + ", found " + describe(found));
    }

    private static String describe(Object found) {
        return found instanceof String text ? "'" + text + "'" : String.valueOf(found);
    }
}
