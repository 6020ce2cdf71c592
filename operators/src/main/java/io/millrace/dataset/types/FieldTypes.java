package io.millrace.dataset.types;

import io.millrace.dataset.BadSampleException;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settled types of a dataset's fields by name. Fields that are not listed have the type that the format declares.
 *
 * @param byName the types in the order of the fields
 */
public record FieldTypes(Map<String, FieldType> byName) implements Serializable {
    /** The types of a dataset whose format declares the types of all fields. */
    public static final FieldTypes NONE = new FieldTypes(Map.of());

    public FieldTypes {
        byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
    }

    /**
     * Gives the fields of a sample the settled types.
     *
     * @throws BadSampleException when a field has another type; the message states the field, the type and what was found
     */
    Sample apply(Sample sample) throws BadSampleException {
        for (Map.Entry<String, FieldType> each : byName.entrySet()) {
            String name = each.getKey();
            if (!sample.fieldNames().contains(name)) {
                continue;
            }
            Field found = sample.field(name);
            Field settled = each.getValue().of(found);
            if (settled == null) {
                throw new BadSampleException(
                        sample.key(),
                        -1,
                        "expected '" + name + "' as " + each.getValue().describe()
                                + ", the type that the first samples of the run settled, found "
                                + FieldType.describe(found));
            }
            if (settled != found) {
                sample.put(name, settled);
            }
        }
        return sample;
    }

    /**
     * Returns whether the fields of a sample with these types have the extents that most samples have. The columns of a batch are
     * better taken from such a sample than from one that stands out.
     */
    public boolean isUsual(Sample sample) {
        return byName.entrySet().stream()
                .allMatch(each -> !sample.fieldNames().contains(each.getKey())
                        || each.getValue().isUsual(sample.field(each.getKey())));
    }

    /** Returns these types with the wider element type of the two where the other types are the same otherwise. */
    FieldTypes with(FieldTypes other) {
        Map<String, FieldType> common = new LinkedHashMap<>(byName);
        common.replaceAll((name, type) -> type.with(other.byName.get(name)));
        return new FieldTypes(common);
    }

    /** Returns these types with those of {@code others} in their place. */
    FieldTypes replacedBy(FieldTypes others) {
        Map<String, FieldType> all = new LinkedHashMap<>(byName);
        all.putAll(others.byName);
        return new FieldTypes(all);
    }
}
