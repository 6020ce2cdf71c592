package io.millrace.config;

import io.millrace.option.OptionType;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * In which type the values of a field travel.
 *
 * @param ids how many there are, numbered from 0, of {@link Kind#IDS}; empty: as many as training tells apart
 */
public record WireType(Kind kind, OptionalLong ids) {
    /** As pipeline files have them, in lower case. */
    public enum Kind {
        /** As suits what training makes of them. */
        AUTO,
        /** As the transforms leave them. */
        PLAIN,
        UINT8,
        FLOAT16,
        BFLOAT16,
        FLOAT32,
        /** Zeros and ones, 8 to a byte. */
        BITS,
        /** Class numbers and the like, in the narrowest type of whole numbers that has all of them. */
        IDS
    }

    /** What fields have that are not named. */
    public static final WireType AUTO = of(Kind.AUTO);

    private static final String WORDS =
            Arrays.stream(Kind.values()).map(WireType::word).collect(Collectors.joining(" | "));

    /** {@code auto}, or {@code {image: uint8, tokens: {ids: 50000}}}: by field, in the file's order. */
    static final OptionType<Map<String, WireType>> TYPE =
            OptionType.of("auto, or {field: " + WORDS + " | {ids: number}}", WireType::parse);

    /** A type that says no number of ids. */
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

    /** As a pipeline file has it, on one line. */
    @Override
    public String toString() {
        return ids.isPresent() ? "{" + word(kind) + ": " + ids.getAsLong() + "}" : word(kind);
    }

    /** The same as keys and values. */
    public Object written() {
        return ids.isPresent() ? Map.of(word(kind), ids.getAsLong()) : word(kind);
    }
}
