package io.millrace.pack;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * The columns of an Arrow shard. Images are {@code struct<bytes: binary, path: string>} and labels are {@code int64};
 * the schema's metadata contains Hugging Face's description of them. Text becomes strings, other encoded fields become
 * binary, tensors become fixed_shape_tensor lists, and ragged fields become lists.
 */
final class ArrowColumns {
    static final String LABEL = "label";
    static final String BYTES = "bytes";
    static final String PATH = "path";

    private ArrowColumns() {}

    /** Returns the schema for samples that have the same fields as this sample. */
    static Schema schema(Sample sample, Optional<List<String>> classes) {
        List<org.apache.arrow.vector.types.pojo.Field> columns = new ArrayList<>();
        for (String name : sample.fieldNames()) {
            columns.add(column(name, sample.field(name)));
        }
        if (classes.isPresent()) {
            columns.add(leaf(LABEL, new ArrowType.Int(64, true)));
        }
        return new Schema(columns, Map.of("huggingface", features(sample, classes)));
    }

    static boolean isImage(Field field) {
        return field.dtype() == DType.ENCODED;
    }

    private static org.apache.arrow.vector.types.pojo.Field column(String name, Field field) {
        if (isImage(field)) {
            return new org.apache.arrow.vector.types.pojo.Field(
                    name,
                    FieldType.nullable(ArrowType.Struct.INSTANCE),
                    List.of(leaf(BYTES, ArrowType.Binary.INSTANCE), leaf(PATH, ArrowType.Utf8.INSTANCE)));
        }
        if (field.kind() == FieldKind.TEXT) {
            return leaf(name, ArrowType.Utf8.INSTANCE);
        }
        org.apache.arrow.vector.types.pojo.Field element = new org.apache.arrow.vector.types.pojo.Field(
                "item", FieldType.notNullable(type(field.dtype())), List.of());
        if (field.kind().varies()) {
            if (field.shape().length != 1) {
                throw new IllegalArgumentException("field '" + name + "' is a ragged " + field
                        + ": an Arrow shard can only contain ragged fields of one dimension");
            }
            return new org.apache.arrow.vector.types.pojo.Field(
                    name, FieldType.nullable(ArrowType.List.INSTANCE), List.of(element));
        }
        String shape =
                Arrays.stream(field.shape()).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"));
        return new org.apache.arrow.vector.types.pojo.Field(
                name,
                new FieldType(
                        true,
                        new ArrowType.FixedSizeList(
                                field.data().length / field.dtype().bytes()),
                        null,
                        Map.of(
                                "ARROW:extension:name",
                                "arrow.fixed_shape_tensor",
                                "ARROW:extension:metadata",
                                "{\"shape\":" + shape + "}")),
                List.of(element));
    }

    private static org.apache.arrow.vector.types.pojo.Field leaf(String name, ArrowType type) {
        return new org.apache.arrow.vector.types.pojo.Field(name, FieldType.nullable(type), List.of());
    }

    private static ArrowType type(DType dtype) {
        return switch (dtype) {
            case ENCODED -> ArrowType.Binary.INSTANCE;
            case UINT8, BOOL -> new ArrowType.Int(8, false);
            case INT8 -> new ArrowType.Int(8, true);
            case INT16 -> new ArrowType.Int(16, true);
            case UINT16 -> new ArrowType.Int(16, false);
            case INT32 -> new ArrowType.Int(32, true);
            case INT64 -> new ArrowType.Int(64, true);
            case FLOAT16 -> new ArrowType.FloatingPoint(FloatingPointPrecision.HALF);
            case BFLOAT16 ->
                throw new IllegalArgumentException("Arrow has no numbers of BFLOAT16: add a Cast to float32");
            case FLOAT32 -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
            case FLOAT64 -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
        };
    }

    private static String features(Sample sample, Optional<List<String>> classes) {
        List<String> features = new ArrayList<>();
        for (String name : sample.fieldNames()) {
            if (isImage(sample.field(name))) {
                features.add(quoted(name) + ": {\"_type\": \"Image\"}");
            } else if (sample.field(name).kind() == FieldKind.TEXT) {
                features.add(quoted(name) + ": {\"dtype\": \"string\", \"_type\": \"Value\"}");
            }
        }
        classes.ifPresent(names -> features.add(
                names.isEmpty()
                        ? "\"label\": {\"dtype\": \"int64\", \"_type\": \"Value\"}"
                        : "\"label\": {\"names\": "
                                + names.stream().map(ArrowColumns::quoted).toList() + ", \"_type\": \"ClassLabel\"}"));
        return "{\"info\": {\"features\": {" + String.join(", ", features) + "}}}";
    }

    private static String quoted(String text) {
        return com.fasterxml.jackson.databind.node.TextNode.valueOf(text).toString();
    }
}
