package io.millrace.dataset.types;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Fingerprint;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.StoredLabels.State;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.Serializable;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The settled types of a dataset's fields by name, and what else the first samples of a run settle.
 *
 * <p>Tested by {@code TypeInspectionTest}.
 *
 * @param byName the types in the order of the fields. With declared names, fields that are not listed have the type that the format
 *     declares. With settled names, all fields are listed, and {@code label} as a whole number is the label
 * @param names the origin of the names
 * @param fingerprint the samples that every process of the run must have
 * @param remarks sentences for the user on what is left out
 */
public record FieldTypes(Map<String, FieldType> byName, Names names, Fingerprint fingerprint, List<String> remarks)
        implements Serializable {
    /** The types of a dataset whose format declares the types of all fields. */
    public static final FieldTypes NONE = new FieldTypes(Map.of());

    public FieldTypes {
        byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
        remarks = List.copyOf(remarks);
    }

    /** Creates the types of fields whose names the format declares. */
    public FieldTypes(Map<String, FieldType> byName) {
        this(byName, Names.DECLARED, Fingerprint.NONE, List.of());
    }

    private FieldTypes withTypes(Map<String, FieldType> types) {
        return new FieldTypes(types, names, fingerprint, remarks);
    }

    /** Returns whether samples have labels, if the names are settled. */
    private boolean labelled() {
        FieldType label = byName.get(FieldSource.LABEL);
        return label != null && label.isWholeNumber();
    }

    /** Returns the labels of samples whose names are settled, and otherwise the fields that are one whole number. */
    StoredLabels labels() {
        if (labelled()) {
            return StoredLabels.PRESENT;
        }
        List<String> numbers = byName.entrySet().stream()
                .filter(field ->
                        field.getValue().isWholeNumber() && !field.getKey().equals(FieldSource.LABEL))
                .map(Map.Entry::getKey)
                .toList();
        return new StoredLabels(
                State.NOT_FOUND,
                numbers.stream().map(name -> "'" + name + "' (whole numbers)").toList(),
                numbers.stream().findFirst().map(name -> "return '" + name + "' under the name label in __getitem__"));
    }

    /**
     * Gives a sample the settled fields in their order, whatever the order in which it has them. Other fields are left out.
     *
     * @throws BadSampleException when the sample lacks a field, or has a label where the others have none
     */
    private void applyNames(Sample sample) throws BadSampleException {
        List<String> found = List.copyOf(sample.fieldNames());
        for (String name : byName.keySet()) {
            if (!found.contains(name)) {
                throw bad(sample, "lacks '" + name + "'", found);
            }
        }
        if (found.contains(FieldSource.LABEL) && !byName.containsKey(FieldSource.LABEL)) {
            throw bad(sample, "has a label, which the first samples of the run lack", found);
        }
        keep(sample, byName.keySet());
    }

    /** Leaves only these fields in a sample, in this order. */
    private static void keep(Sample sample, Collection<String> names) {
        Map<String, Field> fields = new LinkedHashMap<>();
        names.forEach(name -> fields.put(name, sample.field(name)));
        sample.removeFields();
        fields.forEach(sample::put);
    }

    private BadSampleException bad(Sample sample, String what, List<String> found) {
        return new BadSampleException(
                sample.key(),
                -1,
                "the sample " + what + ": expected the fields " + byName.keySet()
                        + ", which the first samples of the run settled, found " + found);
    }

    /**
     * Gives the fields of a sample the settled types.
     *
     * @throws BadSampleException when a field has another type; the message states the field, the type and what was found
     */
    Sample apply(Sample sample) throws BadSampleException {
        if (names == Names.SETTLED) {
            applyNames(sample);
        }
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
        if (names == Names.SETTLED && labelled()) {
            // The sample has it as its label.
            keep(
                    sample,
                    byName.keySet().stream()
                            .filter(name -> !name.equals(FieldSource.LABEL))
                            .toList());
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
        return withTypes(common);
    }

    /** Returns these types with those of {@code others} in their place. */
    FieldTypes replacedBy(FieldTypes others) {
        Map<String, FieldType> all = new LinkedHashMap<>(byName);
        all.putAll(others.byName);
        return withTypes(all);
    }
}
