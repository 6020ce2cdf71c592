package io.millrace.diagnosis.ladder;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A sample as it was behind some stage. Immutable: nobody writes into its fields.
 *
 * @param names of the fields, in their order
 * @param fields as many
 */
record CachedSample(String key, long label, List<String> names, List<Field> fields) {
    CachedSample {
        names = List.copyOf(names);
        fields = List.copyOf(fields);
    }

    /** A copy of what the sample is now: stages behind may use its arrays again. */
    static CachedSample of(Sample sample) {
        List<Field> fields = new ArrayList<>();
        for (String name : sample.fieldNames()) {
            fields.add(copy(sample.field(name)));
        }
        return new CachedSample(sample.key(), sample.label(), sample.fieldNames(), fields);
    }

    /** The image, where it has one. */
    Optional<Field> image() {
        int at = names.indexOf(Sample.IMAGE);
        return at < 0 ? Optional.empty() : Optional.of(fields.get(at));
    }

    /** The bytes of its fields. */
    long bytes() {
        return fields.stream().mapToLong(field -> field.data().length).sum();
    }

    /** The sample again, with arrays that stages may write into; what is encoded is read alone, and shared. */
    Sample writable(long index) {
        Sample sample = new Sample(index, key, label);
        for (int i = 0; i < names.size(); i++) {
            Field field = fields.get(i);
            sample.put(names.get(i), field.dtype() == DType.ENCODED ? field : copy(field));
        }
        return sample;
    }

    /** The sample again, for those who only read it. */
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
