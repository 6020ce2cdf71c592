package io.millrace.diagnosis.ladder;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Part;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A sample as it was after a stage. Immutable: nothing writes into the arrays of its fields.
 *
 * @param names the names of the fields, in their order
 * @param fields the fields, one for each name
 * @param parts the documents of a pack that is not joined yet; empty for all other samples
 */
record CachedSample(String key, long label, List<String> names, List<Field> fields, List<CachedPart> parts) {
    CachedSample {
        names = List.copyOf(names);
        fields = List.copyOf(fields);
        parts = List.copyOf(parts);
    }

    /** A document of a pack, or a part of one, as {@link Part} describes it. */
    record CachedPart(CachedSample document, long index, int from, int to) {}

    /** Returns a copy of a sample, because earlier stages may reuse its arrays. */
    static CachedSample of(Sample sample) {
        List<Field> fields = new ArrayList<>();
        for (String name : sample.fieldNames()) {
            fields.add(copy(sample.field(name)));
        }
        List<CachedPart> parts = sample.parts().stream()
                .map(part -> new CachedPart(of(part.sample()), part.sample().index(), part.from(), part.to()))
                .toList();
        return new CachedSample(sample.key(), sample.label(), sample.fieldNames(), fields, parts);
    }

    /** Returns the image; empty when the sample has none. */
    Optional<Field> image() {
        int at = names.indexOf(Sample.IMAGE);
        return at < 0 ? Optional.empty() : Optional.of(fields.get(at));
    }

    /** Returns the size of all fields in bytes, with those of the parts. */
    long bytes() {
        return fields.stream().mapToLong(field -> field.data().length).sum()
                + parts.stream().mapToLong(part -> part.document.bytes()).sum();
    }

    /** Returns the sample with arrays that stages may write into. Encoded fields are only read, so they are shared. */
    Sample writable(long index) {
        Sample sample = new Sample(index, key, label);
        for (int i = 0; i < names.size(); i++) {
            Field field = fields.get(i);
            sample.put(names.get(i), field.dtype() == DType.ENCODED ? field : copy(field));
        }
        return sample.ofParts(parts.stream()
                .map(part -> new Part(part.document.writable(part.index), part.from, part.to))
                .toList());
    }

    /** Returns the sample for stages that only read it; it shares the cached arrays. */
    Sample shared(long index) {
        Sample sample = new Sample(index, key, label);
        for (int i = 0; i < names.size(); i++) {
            sample.put(names.get(i), fields.get(i));
        }
        return sample.ofParts(parts.stream()
                .map(part -> new Part(part.document.shared(part.index), part.from, part.to))
                .toList());
    }

    private static Field copy(Field field) {
        if (field.dtype() == DType.ENCODED) {
            return Field.encoded(field.data().clone()).as(field.kind());
        }
        return Field.of(field.dtype(), field.shape().clone(), field.data().clone())
                .as(field.kind());
    }
}
