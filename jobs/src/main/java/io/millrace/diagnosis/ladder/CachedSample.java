package io.millrace.diagnosis.ladder;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A sample as it was after a stage. Immutable: nothing writes into the arrays of its fields.
 *
 * @param names the names of the fields, in their order
 * @param fields the fields, one for each name
 */
record CachedSample(String key, long label, List<String> names, List<Field> fields) {
    CachedSample {
        names = List.copyOf(names);
        fields = List.copyOf(fields);
    }

    /** Returns a copy of a sample, because earlier stages may reuse its arrays. */
    static CachedSample of(Sample sample) {
        List<Field> fields = new ArrayList<>();
        for (String name : sample.fieldNames()) {
            fields.add(copy(sample.field(name)));
        }
        return new CachedSample(sample.key(), sample.label(), sample.fieldNames(), fields);
    }

    /** Returns the image; empty when the sample has none. */
    Optional<Field> image() {
        int at = names.indexOf(Sample.IMAGE);
        return at < 0 ? Optional.empty() : Optional.of(fields.get(at));
    }

    /** Returns the size of all fields in bytes. */
    long bytes() {
        return fields.stream().mapToLong(field -> field.data().length).sum();
    }

    /** Returns the sample with arrays that stages may write into. Encoded fields are only read, so they are shared. */
    Sample writable(long index) {
        Sample sample = new Sample(index, key, label);
        for (int i = 0; i < names.size(); i++) {
            Field field = fields.get(i);
            sample.put(names.get(i), field.dtype() == DType.ENCODED ? field : copy(field));
        }
        return sample;
    }

    /** Returns the sample for stages that only read it; it shares the cached arrays. */
    Sample shared(long index) {
        Sample sample = new Sample(index, key, label);
        for (int i = 0; i < names.size(); i++) {
            sample.put(names.get(i), fields.get(i));
        }
        return sample;
    }

    private static Field copy(Field field) {
        if (field.dtype() == DType.ENCODED) {
            return Field.encoded(field.data().clone()).as(field.kind());
        }
        return Field.of(field.dtype(), field.shape().clone(), field.data().clone())
                .as(field.kind());
    }
}
