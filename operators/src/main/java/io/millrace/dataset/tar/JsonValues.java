package io.millrace.dataset.tar;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Conversion of values within a JSON member to fields and labels. Whole numbers become int64, and other numbers become
 * float64. Lists of numbers become tensors. Texts become text, and objects become their JSON text.
 */
final class JsonValues {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private JsonValues() {}

    /**
     * Returns the value at a path.
     *
     * @param path names and list indexes with slashes between them; empty for the whole JSON
     */
    static JsonNode find(byte[] json, String path, ValuePlace place) throws BadSampleException {
        JsonNode node;
        try {
            node = MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw withCause(
                    place.badSample("expected JSON, found at line "
                            + (e.getLocation() == null ? 0 : e.getLocation().getLineNr()) + ": "
                            + e.getOriginalMessage()),
                    e);
        } catch (IOException e) {
            throw withCause(place.badSample("expected JSON: " + e.getMessage()), e);
        }
        for (String name : path.isEmpty() ? new String[0] : path.split("/")) {
            node = node.isArray() && name.matches("[0-9]{1,9}") ? node.path(Integer.parseInt(name)) : node.path(name);
        }
        if (node.isMissingNode() || node.isNull()) {
            throw place.badSample("expected a value at '" + path + "' in the JSON, found none");
        }
        return node;
    }

    private static BadSampleException withCause(BadSampleException badSample, Exception cause) {
        badSample.initCause(cause);
        return badSample;
    }

    /** Returns the value as a label. */
    static long label(JsonNode node, Labels labels, ValuePlace place) throws BadSampleException {
        if (node.isIntegralNumber() && node.canConvertToLong()) {
            return labels.of(node.longValue(), place);
        }
        return labels.of(node.asText(node.toString()).getBytes(StandardCharsets.UTF_8), place);
    }

    /** Returns the value as a field. */
    static Field field(FieldSource source, JsonNode node, ValuePlace place) throws BadSampleException {
        if (node.isTextual() || node.isObject()) {
            String text = node.isTextual() ? node.textValue() : node.toString();
            return FieldValues.text(source, text.getBytes(StandardCharsets.UTF_8), place);
        }
        List<Integer> shape = new ArrayList<>();
        for (JsonNode inner = node; inner.isArray(); inner = inner.path(0)) {
            shape.add(inner.size());
        }
        List<JsonNode> values = new ArrayList<>();
        collect(source, node, shape, 0, values, place);
        DType dtype = values.stream().allMatch(JsonNode::isBoolean) && !values.isEmpty()
                ? DType.BOOL
                : values.stream().allMatch(value -> value.isIntegralNumber() && value.canConvertToLong())
                        ? DType.INT64
                        : DType.FLOAT64;
        ByteBuffer data = ByteBuffer.allocate(values.size() * dtype.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (JsonNode value : values) {
            switch (dtype) {
                case BOOL -> data.put((byte) (value.booleanValue() ? 1 : 0));
                case INT64 -> data.putLong(value.longValue());
                default -> data.putDouble(value.doubleValue());
            }
        }
        int[] extents = shape.stream().mapToInt(Integer::intValue).toArray();
        return FieldValues.numbers(source, dtype, extents, data.array(), place);
    }

    private static void collect(
            FieldSource source, JsonNode node, List<Integer> shape, int depth, List<JsonNode> values, ValuePlace place)
            throws BadSampleException {
        if (depth == shape.size()) {
            if (!node.isNumber() && !node.isBoolean()) {
                throw place.badSample("expected numbers in lists of one shape as '" + source.from() + "', found "
                        + node.getNodeType());
            }
            values.add(node);
            return;
        }
        if (!node.isArray() || node.size() != shape.get(depth)) {
            throw place.badSample(
                    "expected lists of " + shape.get(depth) + " elements as '" + source.from() + "', found "
                            + (node.isArray()
                                    ? "a list of " + node.size() + " elements"
                                    : node.getNodeType().toString()));
        }
        for (JsonNode inner : node) {
            collect(source, inner, shape, depth + 1, values, place);
        }
    }
}
