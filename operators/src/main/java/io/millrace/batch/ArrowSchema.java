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
            fields.add(tensor(column));
        }
        return new Schema(fields);
    }

    /** Tells specs apart: the first 64 bits of a SHA-256 over names, element types and shapes. */
    static long fingerprint(BatchSpec spec) {
        StringBuilder text = new StringBuilder();
        for (BatchSpec.Column column : spec.columns()) {
            text.append(column.name().length())
                    .append(':')
                    .append(column.name())
                    .append(column.dtype())
                    .append(column.shape());
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

    private static Field tensor(BatchSpec.Column column) {
        ArrowType element = column.dtype() == DType.FLOAT32
                ? new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE)
                : new ArrowType.Int(8, false);
        Map<String, String> metadata = new LinkedHashMap<>();
        metadata.put("ARROW:extension:name", "arrow.fixed_shape_tensor");
        String names = column.shape().size() == 3 ? ",\"dim_names\":[\"H\",\"W\",\"C\"]" : "";
        metadata.put(
                "ARROW:extension:metadata",
                "{\"shape\":" + column.shape().toString().replace(" ", "") + names + "}");
        ArrowType list = new ArrowType.FixedSizeList(column.rowElements());
        return new Field(column.name(), new FieldType(true, list, null, metadata), List.of(required("item", element)));
    }

    private ArrowSchema() {}
}
