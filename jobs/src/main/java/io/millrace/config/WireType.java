package io.millrace.config;

import io.millrace.option.OptionType;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * The type in which the values of a field cross the network.
 *
 * @param ids the number of class numbers of {@link Kind#IDS}, which count from 0; empty for as many as the model has outputs
 */
public record WireType(Kind kind, OptionalLong ids) {
    /** The kinds of types. Pipeline files write them in lower case. */
    public enum Kind {
        /** The type that suits the use of the field in training. */
        AUTO,
        /** The type that the transforms leave. */
        PLAIN,
        UINT8,
        FLOAT16,
        BFLOAT16,
        FLOAT32,
        /** Zeros and ones, 8 in a byte. */
        BITS,
        /** Class numbers, in the narrowest integer type that holds all of them. */
        IDS
    }

    /** The wire type of fields without an entry. */
    public static final WireType AUTO = of(Kind.AUTO);

    private static final String WORDS =
            Arrays.stream(Kind.values()).map(WireType::word).collect(Collectors.joining(" | "));

    /** The type of the key {@code wire}: {@code auto}, or {@code {image: uint8, tokens: {ids: 50000}}}, in the file's order. */
    static final OptionType<Map<String, WireType>> TYPE = OptionType.of(
                    "auto, or {field: " + WORDS + " | {ids: number}}", WireType::parse)
            .writtenAs(WireType::written);

    /** Returns a type without a number of class numbers. */
    public static WireType of(Kind kind) {
        return new WireType(kind, OptionalLong.empty());
    }

    private static Map<String, WireType> parse(Object raw) {
        Map<String, WireType> types = new LinkedHashMap<>();
        if (raw instanceof Map<?, ?> map && !map.isEmpty()) {
            map.forEach((field, type) -> types.put(OptionType.TEXT.parse(field), type(type)));
        } else if (!word(Kind.AUTO).equals(raw)) {
            throw OptionType.expected("auto, or fields with their types", raw);
        }
        return types;
    }

    private static WireType type(Object raw) {
        if (raw instanceof Map<?, ?> map && map.size() == 1 && map.get(word(Kind.IDS)) instanceof Long number) {
            if (number < 1) {
                throw OptionType.expected("at least 1 id", number);
            }
            return new WireType(Kind.IDS, OptionalLong.of(number));
        }
        return Arrays.stream(Kind.values())
                .filter(kind -> word(kind).equals(raw))
                .findFirst()
                .map(WireType::of)
                .orElseThrow(() -> OptionType.expected("one of " + WORDS + ", or {ids: number}", raw));
    }

    private static String word(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the type as a pipeline file has it, on one line. */
    @Override
    public String toString() {
        return ids.isPresent() ? "{" + word(kind) + ": " + ids.getAsLong() + "}" : word(kind);
    }

    private static Object written(Map<String, WireType> wire) {
        Map<String, Object> types = new LinkedHashMap<>();
        wire.forEach((field, type) -> types.put(field, type.written()));
        return types;
    }

    private Object written() {
        return ids.isPresent() ? Map.of(word(kind), ids.getAsLong()) : word(kind);
    }
}
