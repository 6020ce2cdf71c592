package io.millrace.dataset.columns;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The rows that the writer of a file stored, as a list of JSON objects with bytes in hexadecimal digits. */
public final class StoredRows {
    private static final ObjectMapper JSON = new ObjectMapper();

    private StoredRows() {}

    /** Returns the rows of a JSON file. */
    public static List<JsonNode> of(Path json) throws IOException {
        List<JsonNode> rows = new ArrayList<>();
        JSON.readTree(json.toFile()).forEach(rows::add);
        return rows;
    }

    /** Asserts that a field has the numbers, the text or the bytes of a value. */
    public static void assertHolds(Field field, JsonNode expected) {
        if (field.kind() == FieldKind.IMAGE && field.dtype() == DType.ENCODED) {
            assertThat(field.data()).isEqualTo(HexFormat.of().parseHex(expected.asText()));
        } else if (expected.isTextual()) {
            assertThat(field.kind()).isEqualTo(FieldKind.TEXT);
            assertThat(new String(field.data(), StandardCharsets.UTF_8)).isEqualTo(expected.asText());
        } else {
            List<Integer> shape = new ArrayList<>();
            for (JsonNode level = expected; level.isArray(); level = level.path(0)) {
                shape.add(level.size());
            }
            List<Double> numbers = new ArrayList<>();
            flatten(expected, numbers);
            if (!numbers.isEmpty()) {
                assertThat(field.shape())
                        .containsExactly(shape.stream().mapToInt(i -> i).toArray());
            }
            assertThat(numbers(field)).isEqualTo(numbers);
        }
    }

    private static void flatten(JsonNode value, List<Double> numbers) {
        if (value.isArray()) {
            value.forEach(item -> flatten(item, numbers));
        } else {
            numbers.add(value.isBoolean() ? (value.asBoolean() ? 1.0 : 0.0) : value.asDouble());
        }
    }

    /** Returns the elements of a field. */
    public static List<Double> numbers(Field field) {
        ByteBuffer data = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        List<Double> numbers = new ArrayList<>();
        while (data.hasRemaining()) {
            numbers.add(
                    switch (field.dtype()) {
                        case UINT8, BOOL, ENCODED -> (double) Byte.toUnsignedInt(data.get());
                        case INT8 -> (double) data.get();
                        case INT16 -> (double) data.getShort();
                        case UINT16 -> (double) Short.toUnsignedInt(data.getShort());
                        case INT32 -> (double) data.getInt();
                        case INT64 -> (double) data.getLong();
                        case FLOAT16 -> half(data.getShort());
                        case BFLOAT16 -> (double) Float.intBitsToFloat(data.getShort() << 16);
                        // The writer of the JSON file printed each float as a double with the same value.
                        case FLOAT32 -> (double) data.getFloat();
                        case FLOAT64 -> data.getDouble();
                    });
        }
        return numbers;
    }

    private static double half(short bits) {
        int exponent = bits >> 10 & 0x1F;
        int fraction = bits & 0x3FF;
        double value = exponent == 0 ? fraction * 0x1p-24 : (1 + fraction * 0x1p-10) * Math.pow(2, exponent - 15);
        return bits < 0 ? -value : value;
    }
}
