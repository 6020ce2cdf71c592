package io.millrace.inspect;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The type and the shape of a field over several samples.
 *
 * @param name the name of the field
 * @param kind the kind in lower case, or "varies"
 * @param dtype the element type in lower case, or "varies"
 * @param shape the extents, outermost first; {@link #VARIES} for an extent that differs between samples, and empty when the
 *     number of extents differs
 */
public record FieldShape(String name, String kind, String dtype, List<Integer> shape) {
    /** The value for an extent that differs between samples. */
    public static final int VARIES = -1;

    private static final String ENCODED = DType.ENCODED.word();
    private static final String TEXT = FieldKind.TEXT.word();

    public FieldShape {
        shape = List.copyOf(shape);
    }

    /**
     * Merges the fields of a sample into the shapes of the earlier samples. Fields keep the order of their first
     * appearance.
     */
    static void merge(Map<String, FieldShape> known, Sample sample) {
        for (String name : sample.fieldNames()) {
            FieldShape found = of(name, sample.field(name));
            known.merge(name, found, FieldShape::common);
        }
    }

    static FieldShape of(String name, Field field) {
        List<Integer> extents = new ArrayList<>();
        for (int extent : field.shape()) {
            // The first extent of a ragged field varies between samples, even if all samples so far have the same
            // extent.
            boolean ragged = field.kind().varies() && extents.isEmpty();
            extents.add(ragged ? VARIES : extent);
        }
        return new FieldShape(name, field.kind().word(), field.dtype().word(), extents);
    }

    private FieldShape common(FieldShape other) {
        List<Integer> extents = new ArrayList<>();
        if (shape.size() == other.shape.size()) {
            for (int i = 0; i < shape.size(); i++) {
                extents.add(shape.get(i).equals(other.shape.get(i)) ? shape.get(i) : Integer.valueOf(VARIES));
            }
        }
        return new FieldShape(name, same(kind, other.kind), same(dtype, other.dtype), extents);
    }

    private static String same(String one, String other) {
        return one.equals(other) ? one : "varies";
    }

    /** Returns the name, the kind, the dtype and the shape as JSON. An extent that varies is null. */
    Map<String, Object> toJson() {
        List<Object> extents = new ArrayList<>();
        for (int extent : shape) {
            extents.add(extent == VARIES ? null : Integer.valueOf(extent));
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("kind", kind);
        json.put("dtype", dtype);
        json.put("shape", extents);
        return json;
    }

    /**
     * Returns a text such as "uint8 [224, 224, 3]" or "text [?]", with ? for an extent that varies. Encoded data have a number of bytes, and
     * no shape before they are decoded.
     */
    @Override
    public String toString() {
        if (dtype.equals(ENCODED)) {
            return "encoded (not decoded)";
        }
        return (kind.equals(TEXT) ? kind : dtype) + " "
                + shape.stream().map(e -> e == VARIES ? "?" : e.toString()).toList();
    }
}
