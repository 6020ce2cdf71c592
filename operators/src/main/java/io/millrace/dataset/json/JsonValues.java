package io.millrace.dataset.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Conversion of values within a JSON member to fields and labels. Whole numbers become int64, and other numbers become
 * float64. Lists of numbers become tensors; if one of their numbers is no whole number, all of them become float64. Texts become text,
 * and objects become their JSON text.
 */
public final class JsonValues {
    /** NumPy's limit. */
    private static final int MOST_EXTENTS = 64;

    private JsonValues() {}

    /**
     * Returns the value at a path.
     *
     * @param path names and list indexes with slashes between them; empty for the whole JSON
     */
    public static JsonNode find(byte[] json, String path, ValuePlace place) throws BadSampleException {
        return find(JsonDocument.parse(json, place), path, place);
    }

    /** Returns the value at a path within a value, as {@link #find(byte[], String, ValuePlace)} does. */
    public static JsonNode find(JsonNode whole, String path, ValuePlace place) throws BadSampleException {
        JsonNode node = whole;
        for (String name : path.isEmpty() ? new String[0] : path.split("/")) {
            node = node.isArray() && name.matches("[0-9]{1,9}") ? node.path(Integer.parseInt(name)) : node.path(name);
        }
        if (node.isMissingNode() || node.isNull()) {
            throw place.badSample(
                    "expected a value at '" + path + "' in the JSON, found " + (node.isNull() ? "null" : "none"));
        }
        return node;
    }

    /** Returns the value as a label. */
    public static long label(JsonNode node, Labels labels, ValuePlace place) throws BadSampleException {
        if (node.isIntegralNumber() && node.canConvertToLong()) {
            return labels.of(node.longValue(), place);
        }
        return labels.of(
                node.isContainerNode()
                        ? JsonDocument.text(node).getBytes(StandardCharsets.UTF_8)
                        : node.asText().getBytes(StandardCharsets.UTF_8),
                place);
    }

    /** Returns the value as a field. */
    public static Field field(FieldSource source, JsonNode node, ValuePlace place) throws BadSampleException {
        if (node.isTextual() || node.isObject()) {
            return FieldValues.text(
                    source, utf8(source, node.isTextual() ? node.textValue() : JsonDocument.text(node), place), place);
        }
        List<Integer> shape = new ArrayList<>();
        for (JsonNode inner = node; inner.isArray(); inner = inner.path(0)) {
            shape.add(inner.size());
        }
        if (shape.size() > MOST_EXTENTS) {
            throw place.badSample("expected at most " + MOST_EXTENTS + " lists within one another as '" + source.from()
                    + "', found " + shape.size());
        }
        List<JsonNode> values = new ArrayList<>();
        collect(source, node, shape, 0, values, place);
        DType dtype = dtype(source, values, place);
        ByteBuffer data = ByteBuffer.allocate(values.size() * dtype.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (JsonNode value : values) {
            switch (dtype) {
                case BOOL -> data.put((byte) (value.booleanValue() ? 1 : 0));
                case INT64 -> data.putLong(value.longValue());
                default -> data.putDouble(real(source, value, place));
            }
        }
        int[] extents = shape.stream().mapToInt(Integer::intValue).toArray();
        return FieldValues.numbers(source, dtype, extents, data.array(), place);
    }

    /**
     * Returns the bytes of a text.
     *
     * @throws BadSampleException when the text has half of a surrogate pair, which JSON can write and which is no text
     */
    public static byte[] utf8(FieldSource source, String text, ValuePlace place) throws BadSampleException {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] utf8 = new byte[bytes.remaining()];
            bytes.get(utf8);
            return utf8;
        } catch (CharacterCodingException e) {
            BadSampleException badSample = halfOfPair(source, place);
            badSample.initCause(e);
            throw badSample;
        }
    }

    /** Returns the exception for a text with half of a surrogate pair. */
    public static BadSampleException halfOfPair(FieldSource source, ValuePlace place) {
        return place.badSample(
                "expected text as '" + source.from() + "', found half of a surrogate pair (\\ud800 to \\udfff)");
    }

    /** Returns the element type of a value's numbers. That of an empty list is not known, and int64 stands for it. */
    private static DType dtype(FieldSource source, List<JsonNode> values, ValuePlace place) throws BadSampleException {
        boolean truth = false;
        boolean floats = false;
        JsonNode large = null;
        JsonNode number = null;
        for (JsonNode value : values) {
            truth |= value.isBoolean();
            number = value.isNumber() ? value : number;
            floats |= value.isFloatingPointNumber();
            large = value.isIntegralNumber() && !value.canConvertToLong() ? value : large;
        }
        if (truth && number != null) {
            throw place.badSample(
                    "expected only numbers or only true and false as '" + source.from() + "', found both of them");
        }
        if (large != null && !floats) {
            throw place.badSample("expected whole numbers of 64 bits as '" + source.from() + "', found "
                    + abbreviated(large) + "; as a float it would lose digits");
        }
        return truth ? DType.BOOL : floats ? DType.FLOAT64 : DType.INT64;
    }

    /** Returns the nearest float64, as Python's {@code float} does. */
    private static double real(FieldSource source, JsonNode value, ValuePlace place) throws BadSampleException {
        double nearest = value.doubleValue();
        if (value.isIntegralNumber() && Double.isInfinite(nearest)) {
            throw place.badSample(
                    "expected numbers of 64 bits as '" + source.from() + "', found " + abbreviated(value));
        }
        return nearest;
    }

    private static String abbreviated(JsonNode number) {
        String digits = number.asText();
        return digits.length() <= 30 ? digits : digits.substring(0, 30) + "...";
    }

    private static void collect(
            FieldSource source, JsonNode node, List<Integer> shape, int depth, List<JsonNode> values, ValuePlace place)
            throws BadSampleException {
        if (depth == shape.size()) {
            if (!node.isNumber() && !node.isBoolean()) {
                throw place.badSample(
                        "expected numbers in lists of one shape as '" + source.from() + "', found " + word(node));
            }
            values.add(node);
            return;
        }
        if (!node.isArray() || node.size() != shape.get(depth)) {
            throw place.badSample("expected lists of " + shape.get(depth) + " elements as '" + source.from()
                    + "', found " + (node.isArray() ? "a list of " + node.size() + " elements" : word(node)));
        }
        for (JsonNode inner : node) {
            collect(source, inner, shape, depth + 1, values, place);
        }
    }

    private static String word(JsonNode node) {
        return node.isArray()
                ? "a list of " + node.size() + " elements"
                : node.isTextual() ? "text" : node.getNodeType().toString().toLowerCase(Locale.ROOT);
    }
}
