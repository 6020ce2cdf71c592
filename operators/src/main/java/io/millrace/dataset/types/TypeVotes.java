package io.millrace.dataset.types;

import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The types that a field has in several samples, and the type that they settle. Samples of the same kind, the same number of
 * extents and the same kind of values (bytes or numbers) vote together. The largest group decides, and of equal ones
 * the one that came first. Empty lists have no vote. Pure.
 */
final class TypeVotes {
    private enum Values {
        BYTES,
        ENCODED,
        NUMBERS
    }

    private record Form(FieldKind kind, int rank, Values values) {
        static Form of(FieldKind kind, DType dtype, List<Integer> shape) {
            return new Form(kind.inBatch(), shape.size(), values(kind, dtype));
        }

        private static Values values(FieldKind kind, DType dtype) {
            if (FieldType.isBytes(kind, dtype)) {
                return Values.BYTES;
            }
            return dtype == DType.ENCODED ? Values.ENCODED : Values.NUMBERS;
        }
    }

    private static final class Group {
        private final Set<DType> dtypes = EnumSet.noneOf(DType.class);
        private final List<Map<Integer, Integer>> extents = new ArrayList<>();
        private int count;

        void add(DType dtype, List<Integer> shape) {
            dtypes.add(dtype);
            count++;
            for (int i = 0; i < shape.size(); i++) {
                if (extents.size() <= i) {
                    extents.add(new HashMap<>());
                }
                extents.get(i).merge(shape.get(i), 1, Integer::sum);
            }
        }

        FieldType settled(FieldKind kind) {
            List<Integer> usual = new ArrayList<>();
            for (Map<Integer, Integer> found : extents) {
                boolean differs = FieldType.isPicture(kind) || (kind == FieldKind.RAGGED && usual.isEmpty());
                usual.add(
                        differs
                                ? FieldType.ANY
                                : found.entrySet().stream()
                                        .filter(extent -> 2L * extent.getValue() > count)
                                        .map(Map.Entry::getKey)
                                        .findFirst()
                                        .orElse(FieldType.ANY));
            }
            return new FieldType(kind, Widening.common(dtypes), usual);
        }
    }

    private final Map<Form, Group> groups = new LinkedHashMap<>();

    /** Adds the field of the next sample. */
    void add(FieldKind kind, DType dtype, List<Integer> shape) {
        if (!FieldType.isEmpty(kind, dtype, shape)) {
            groups.computeIfAbsent(Form.of(kind, dtype, shape), form -> new Group())
                    .add(dtype, shape);
        }
    }

    /** Returns the settled type; empty when no sample had an element. */
    Optional<FieldType> settled() {
        Form form = null;
        Group largest = null;
        for (Map.Entry<Form, Group> each : groups.entrySet()) {
            if (largest == null || each.getValue().count > largest.count) {
                form = each.getKey();
                largest = each.getValue();
            }
        }
        return form == null || largest == null ? Optional.empty() : Optional.of(largest.settled(form.kind()));
    }
}
