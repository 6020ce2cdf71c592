package io.millrace.diagnosis.ladder;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Part;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A sample as it was after a stage. Immutable: nothing writes into the arrays of its fields.
 *
 * @param names the names of the fields, in their order
 * @param fields the fields, one for each name
 * @param documents the documents of a pack that no stage has joined yet; empty for other samples
 */
record CachedSample(String key, long label, List<String> names, List<Field> fields, List<Document> documents) {
    /** A document of a pack, of which the tokens {@code from} to {@code to - 1} belong to the pack. */
    record Document(CachedSample whole, long index, int from, int to) {
        private static Document of(Part part) {
            Sample document = part.sample();
            return new Document(CachedSample.of(document), document.index(), part.from(), part.to());
        }
    }

    CachedSample {
        names = List.copyOf(names);
        fields = List.copyOf(fields);
        documents = List.copyOf(documents);
    }

    /** Returns a copy of a sample, because earlier stages may reuse its arrays. */
    static CachedSample of(Sample sample) {
        List<Field> fields = new ArrayList<>();
        for (String name : sample.fieldNames()) {
            fields.add(copy(sample.field(name)));
        }
        List<Document> documents = sample.parts().stream().map(Document::of).toList();
        return new CachedSample(sample.key(), sample.label(), sample.fieldNames(), fields, documents);
    }

    /** Returns the image; empty when the sample has none. */
    Optional<Field> image() {
        int at = names.indexOf(Sample.IMAGE);
        return at < 0 ? Optional.empty() : Optional.of(fields.get(at));
    }

    /** Returns whether the sample is a pack whose documents are not joined yet. */
    boolean isPack() {
        return !documents.isEmpty();
    }

    /** Returns the size of all fields in bytes, with those of the documents. */
    long bytes() {
        return fields.stream().mapToLong(field -> field.data().length).sum()
                + documents.stream()
                        .mapToLong(document -> document.whole.bytes())
                        .sum();
    }

    /** Returns the sample with arrays that stages may write into. Encoded fields are only read, so they are shared. */
    Sample writable(long index) {
        return sample(index, CachedSample::writable, field -> field.dtype() == DType.ENCODED ? field : copy(field));
    }

    /** Returns the sample for stages that only read it; it shares the cached arrays. */
    Sample shared(long index) {
        return sample(index, CachedSample::shared, field -> field);
    }

    private interface Restored {
        Sample of(CachedSample document, long index);
    }

    private Sample sample(long index, Restored restored, UnaryOperator<Field> value) {
        Sample sample = new Sample(index, key, label);
        for (int i = 0; i < names.size(); i++) {
            sample.put(names.get(i), value.apply(fields.get(i)));
        }
        return sample.ofParts(documents.stream()
                .map(document -> new Part(
                        restored.of(document.whole, document.index).placeAt(-1, 0, Split.TRAIN),
                        document.from,
                        document.to))
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
