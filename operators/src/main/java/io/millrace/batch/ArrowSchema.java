package io.millrace.batch;

import io.millrace.sample.DType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** A batch's columns in Arrow's terms. Arrow for Java has no class for fixed-shape tensors: the metadata makes them. */
final class ArrowSchema {
    static final String POSITION = "position";
    static final String INDEX = "index";
    static final String LABEL = "label";
    static final String FAILURE = "failure";
    static final String STAGE = "stage";
    static final String DATASET = "dataset";
    static final String FILE = "file";
    static final String OFFSET = "offset";
    static final String REASON = "reason";

    /** In the metadata of bits: a row's shape; of ragged columns: that of an entry. */
    static final String SHAPE = "millrace.shape";

    /** In the metadata of columns whose elements Arrow has no type for: what they are. */
    static final String DTYPE = "millrace.dtype";

    private static final String ITEM = "item";
    private static final ArrowType INT64 = new ArrowType.Int(64, true);

    static Schema of(BatchSpec spec) {
        List<Field> fields = new ArrayList<>();
        fields.add(required(POSITION, INT64));
        fields.add(required(INDEX, INT64));
        fields.add(required(LABEL, INT64));
        fields.add(new Field(
                FAILURE,
                FieldType.nullable(ArrowType.Struct.INSTANCE),
                List.of(
                        optional(STAGE, ArrowType.Utf8.INSTANCE),
                        optional(DATASET, ArrowType.Utf8.INSTANCE),
                        optional(FILE, ArrowType.Utf8.INSTANCE),
                        optional(OFFSET, INT64),
                        optional(REASON, ArrowType.Utf8.INSTANCE))));
        for (BatchSpec.Column column : spec.columns()) {
            fields.add(column(column));
        }
        return new Schema(fields);
    }

    /** Tells specs apart: the first 64 bits of a SHA-256 over names, element types, shapes and forms. Old columns keep theirs. */
    static long fingerprint(BatchSpec spec) {
        StringBuilder text = new StringBuilder();
        for (BatchSpec.Column column : spec.columns()) {
            text.append(column.name().length())
                    .append(':')
                    .append(column.name())
                    .append(column.dtype())
                    .append(column.shape())
                    .append(column.form() == Form.DENSE ? "" : column.form().name())
                    .append(column.converted() ? "from" + column.from() : "");
        }
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static Field required(String name, ArrowType type) {
        return new Field(name, FieldType.notNullable(type), null);
    }

    private static Field optional(String name, ArrowType type) {
        return new Field(name, FieldType.nullable(type), null);
    }

    private static Field column(BatchSpec.Column column) {
        return switch (column.form()) {
            case DENSE -> column.shape().isEmpty() ? number(column) : tensor(column);
            case BITS -> bits(column);
            case RAGGED -> ragged(column);
            case SPARSE -> sparse(column);
        };
    }

    private static Field number(BatchSpec.Column column) {
        return new Field(
                column.name(), new FieldType(true, element(column.dtype()), null, metadata(column, Map.of())), null);
    }

    /** Adds what Arrow's type does not say. */
    private static Map<String, String> metadata(BatchSpec.Column column, Map<String, String> more) {
        Map<String, String> metadata = new LinkedHashMap<>(more);
        if (column.dtype() == DType.BFLOAT16 || column.form() == Form.SPARSE) {
            metadata.put(DTYPE, column.dtype().word());
        }
        return metadata;
    }

    private static Field tensor(BatchSpec.Column column) {
        Map<String, String> metadata = new LinkedHashMap<>();
        metadata.put("ARROW:extension:name", "arrow.fixed_shape_tensor");
        String names = column.pictures() ? ",\"dim_names\":[\"H\",\"W\",\"C\"]" : "";
        metadata.put("ARROW:extension:metadata", "{\"shape\":" + json(column.shape()) + names + "}");
        ArrowType list = new ArrowType.FixedSizeList(column.elements());
        return new Field(
                column.name(),
                new FieldType(true, list, null, metadata(column, metadata)),
                List.of(required(ITEM, element(column.dtype()))));
    }

    /** Rows begin with a byte: the lists are as long as their whole bytes, and the metadata has the shape. */
    private static Field bits(BatchSpec.Column column) {
        ArrowType list = new ArrowType.FixedSizeList(column.rowBytes() * Byte.SIZE);
        return new Field(
                column.name(),
                new FieldType(true, list, null, Map.of(SHAPE, json(column.shape()))),
                List.of(required(ITEM, ArrowType.Bool.INSTANCE)));
    }

    private static Field ragged(BatchSpec.Column column) {
        Field entry = column.shape().isEmpty()
                ? required(ITEM, element(column.dtype()))
                : new Field(
                        ITEM,
                        FieldType.notNullable(new ArrowType.FixedSizeList(column.elements())),
                        List.of(required(ITEM, element(column.dtype()))));
        return new Field(
                column.name(),
                new FieldType(
                        true, ArrowType.List.INSTANCE, null, metadata(column, Map.of(SHAPE, json(column.shape())))),
                List.of(entry));
    }

    /** An entry is a place and a value, which Arrow would keep apart: for it they are bytes. */
    private static Field sparse(BatchSpec.Column column) {
        return new Field(
                column.name(),
                new FieldType(
                        true, ArrowType.List.INSTANCE, null, metadata(column, Map.of(SHAPE, json(column.shape())))),
                List.of(required(ITEM, new ArrowType.FixedSizeBinary(column.entryBytes()))));
    }

    /** Arrow knows no truth values of a byte each, and no bfloat16: these are uint8 and uint16. */
    private static ArrowType element(DType dtype) {
        return switch (dtype) {
            case ENCODED, UINT8, BOOL -> new ArrowType.Int(8, false);
            case INT8 -> new ArrowType.Int(8, true);
            case INT16 -> new ArrowType.Int(16, true);
            case UINT16, BFLOAT16 -> new ArrowType.Int(16, false);
            case INT32 -> new ArrowType.Int(32, true);
            case INT64 -> INT64;
            case FLOAT16 -> new ArrowType.FloatingPoint(FloatingPointPrecision.HALF);
            case FLOAT32 -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
            case FLOAT64 -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
        };
    }

    private static String json(List<Integer> shape) {
        return shape.toString().replace(" ", "");
    }

    private ArrowSchema() {}
}
