package io.millrace.inspect;

import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a field looks like over several samples.
 *
 * @param dtype the element type in lower case, or "varies"
 * @param shape the extents, outermost first; {@link #VARIES} for one that differs from sample to sample, and empty when
 *     their number does
 */
public record FieldShape(String name, String dtype, List<Integer> shape) {
    /** An extent that differs from sample to sample. */
    public static final int VARIES = -1;

    public FieldShape {
        shape = List.copyOf(shape);
    }

    /** Adds a sample's fields to what is known of those before; the order of first appearance is kept. */
    static void merge(Map<String, FieldShape> known, Sample sample) {
        for (String name : sample.fieldNames()) {
            FieldShape found = of(name, sample.field(name));
            known.merge(name, found, FieldShape::common);
        }
    }

    static FieldShape of(String name, Field field) {
        List<Integer> extents = new ArrayList<>();
        for (int extent : field.shape()) {
            // One sample does not show it, and yet it is known to vary.
            boolean ragged = field.kind() == FieldKind.RAGGED && extents.isEmpty();
            extents.add(ragged ? VARIES : extent);
        }
        return new FieldShape(name, field.dtype().name().toLowerCase(Locale.ROOT), extents);
    }

    private FieldShape common(FieldShape other) {
        List<Integer> extents = new ArrayList<>();
        if (shape.size() == other.shape.size()) {
            for (int i = 0; i < shape.size(); i++) {
                extents.add(shape.get(i).equals(other.shape.get(i)) ? shape.get(i) : Integer.valueOf(VARIES));
            }
        }
        return new FieldShape(name, dtype.equals(other.dtype) ? dtype : "varies", extents);
    }

    /** Name, dtype and shape as JSON; an extent that varies is null. */
    Map<String, Object> toJson() {
        List<Object> extents = new ArrayList<>();
        for (int extent : shape) {
            extents.add(extent == VARIES ? null : Integer.valueOf(extent));
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("dtype", dtype);
        json.put("shape", extents);
        return json;
    }

    /** For people: "uint8 [224, 224, 3]", with ? for what varies. */
    @Override
    public String toString() {
        return dtype + " "
                + shape.stream().map(e -> e == VARIES ? "?" : e.toString()).toList();
    }
}
