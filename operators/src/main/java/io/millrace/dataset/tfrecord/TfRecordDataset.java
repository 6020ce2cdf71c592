package io.millrace.dataset.tfrecord;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.LabelCandidates;
import io.millrace.dataset.fields.LabelCandidates.Kind;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.dataset.shard.OpenFiles;
import io.millrace.dataset.shard.Shards;
import io.millrace.dataset.shard.Shards.Located;
import io.millrace.dataset.tfrecord.WireReader.MalformedWireException;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A dataset of the Examples of TFRecord files. Each record is read as a whole and its checksum is checked, and only
 * the requested features are decoded.
 */
final class TfRecordDataset implements Dataset {
    /** The largest record that is read, in bytes. */
    private static final int MOST_RECORD_BYTES = 1 << 30;

    /** The largest length of bytes that could be the name of a class. */
    private static final int MOST_TEXT_BYTES = 100;

    /** The largest number of samples that are tried to find a good one. */
    private static final int MOST_PROBES = 1000;

    private final Shards<RecordIndex> shards;
    private final List<FieldSource> fields;
    private final Optional<FieldSource> label;
    private final Labels labels;
    private final FieldSelection selection;
    private final Set<String> requested = new HashSet<>();

    /** Creates a dataset and takes ownership of {@code shards}. */
    TfRecordDataset(Shards<RecordIndex> shards, FieldSelection selection, Labels labels) {
        this.shards = shards;
        this.selection = selection;
        this.fields = selection.fields();
        this.label = selection.label();
        this.labels = labels;
        fields.forEach(field -> requested.add(field.from()));
        label.ifPresent(source -> requested.add(source.from()));
    }

    @Override
    public long size() {
        return shards.size();
    }

    @Override
    public Sample read(long index) throws IOException {
        Located<RecordIndex> place = shards.locate(index);
        Map<String, Feature> features = features(record(place), place, requested);
        Sample sample = new Sample(
                index, shards.shortName(place.shard()) + "#" + place.sample(), label(features, valuePlace(place)));
        for (FieldSource field : fields) {
            Feature feature = features.get(field.from());
            if (feature == null || feature.count() == 0) {
                throw valuePlace(place).badSample("expected a feature '" + field.from() + "', found none");
            }
            sample.put(field.name(), field(field, feature, valuePlace(place)));
        }
        return sample;
    }

    @Override
    public long label(long index) throws IOException {
        Located<RecordIndex> place = shards.locate(index);
        if (label.isEmpty()) {
            return Labels.NONE;
        }
        return label(features(record(place), place, Set.of(label.get().from())), valuePlace(place));
    }

    /** Returns the fields that are numbers in the first good sample: their features may hold whole numbers or floats. */
    @Override
    public Optional<Dataset> undeclared() throws IOException {
        for (long index = 0; index < Math.min(MOST_PROBES, size()); index++) {
            try {
                Sample sample = read(index);
                List<FieldSource> numbers = fields.stream()
                        .filter(source -> isNumbers(sample.field(source.name())))
                        .toList();
                return numbers.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new TfRecordDataset(
                                shards, new FieldSelection(numbers, Optional.empty(), selection.chosen()), labels));
            } catch (BadSampleException e) {
                // The sample will be quarantined when the run reads it.
            }
        }
        return Optional.empty();
    }

    private static boolean isNumbers(Field field) {
        return field.dtype() == DType.FLOAT32 || field.dtype() == DType.INT64;
    }

    /** Returns the names of a sample's features, sorted. */
    Set<String> featureNames(long index) throws IOException {
        Located<RecordIndex> place = shards.locate(index);
        return names(record(place), place);
    }

    private Set<String> names(byte[] record, Located<RecordIndex> place) throws BadSampleException {
        try {
            return Examples.names(record, 0, record.length - RecordIndexer.TRAILER_BYTES);
        } catch (MalformedWireException e) {
            throw badSample(place, e);
        }
    }

    private Map<String, Feature> features(byte[] record, Located<RecordIndex> place, Set<String> names)
            throws BadSampleException {
        try {
            return Examples.read(record, 0, record.length - RecordIndexer.TRAILER_BYTES, names);
        } catch (MalformedWireException e) {
            throw badSample(place, e);
        }
    }

    private long label(Map<String, Feature> features, ValuePlace place) throws BadSampleException {
        if (label.isEmpty()) {
            return Labels.NONE;
        }
        Feature feature = features.get(label.get().from());
        if (feature == null || feature.count() == 0) {
            throw Labels.noLabel(label.get(), place);
        }
        return feature.kind() == DType.ENCODED
                ? labels.of(one(label.get(), feature, place), place)
                : labels.of(
                        feature.kind(),
                        new int[] {feature.count()},
                        feature.numbers().toArray(),
                        place);
    }

    private static Field field(FieldSource source, Feature feature, ValuePlace place) throws BadSampleException {
        return feature.kind() == DType.ENCODED
                ? FieldValues.bytes(source, one(source, feature, place), place)
                : FieldValues.numbers(
                        source,
                        feature.kind(),
                        new int[] {feature.count()},
                        feature.numbers().toArray(),
                        place);
    }

    private static byte[] one(FieldSource source, Feature feature, ValuePlace place) throws BadSampleException {
        if (feature.texts().size() != 1) {
            throw place.badSample("expected one string of bytes as '" + source.from() + "', found "
                    + feature.texts().size());
        }
        return feature.texts().get(0);
    }

    /** Returns a record's data and the checksum that follows it. The checksum has been checked. */
    private byte[] record(Located<RecordIndex> place) throws IOException {
        long offset = place.index().dataOffset(place.sample());
        long length = place.index().dataBytes(place.sample());
        if (length > MOST_RECORD_BYTES) {
            throw valuePlace(place)
                    .badSample("expected a record of up to " + MOST_RECORD_BYTES + " bytes, found a record of " + length
                            + " bytes");
        }
        byte[] record;
        try (OpenFiles.Lease lease = shards.lease(place.shard())) {
            record = lease.file().read(offset, (int) length + RecordIndexer.TRAILER_BYTES);
        } catch (EOFException e) {
            BadSampleException badSample = valuePlace(place)
                    .badSample("expected a record of " + length + " bytes and its checksum, found the end of the file");
            badSample.initCause(e);
            throw badSample;
        }
        ByteBuffer buffer = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
        int found = buffer.getInt((int) length);
        int expected = MaskedCrc.of(buffer.limit((int) length));
        if (found != expected) {
            throw valuePlace(place)
                    .badSample(String.format(
                            "expected checksum %08x of a record of %d bytes, found %08x", expected, length, found));
        }
        return record;
    }

    private ValuePlace valuePlace(Located<RecordIndex> place) {
        return new ValuePlace(
                shards.name(place.shard()) + "#" + place.sample(), place.index().dataOffset(place.sample()));
    }

    private BadSampleException badSample(Located<RecordIndex> place, MalformedWireException cause) {
        ValuePlace at = valuePlace(place);
        BadSampleException badSample = new BadSampleException(
                at.file(), at.offset() + cause.offset(), "expected a tf.train.Example: " + cause.getMessage());
        badSample.initCause(cause);
        return badSample;
    }

    @Override
    public OptionalLong storedBytes() {
        return OptionalLong.of(shards.contentBytes());
    }

    @Override
    public StoredLabels labels() throws IOException {
        if (label.isPresent()) {
            return StoredLabels.PRESENT;
        }
        LabelCandidates candidates = new LabelCandidates();
        for (long index = 0; index < Math.min(MOST_PROBES, size()); index++) {
            try {
                Located<RecordIndex> place = shards.locate(index);
                byte[] record = record(place);
                features(record, place, names(record, place)).entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .filter(feature -> feature.getValue().count() == 1)
                        .forEach(feature -> addCandidate(candidates, feature.getKey(), feature.getValue()));
                break;
            } catch (BadSampleException e) {
                // The sample will be quarantined when the run reads it.
            }
        }
        return candidates.without(selection);
    }

    private static void addCandidate(LabelCandidates candidates, String name, Feature feature) {
        if (feature.kind() == DType.INT64) {
            candidates.add(name, Kind.WHOLE_NUMBER);
        } else if (feature.kind() == DType.ENCODED && feature.texts().get(0).length <= MOST_TEXT_BYTES) {
            candidates.add(name, Kind.TEXT);
        }
    }

    @Override
    public List<String> classes() {
        return labels.classes();
    }

    @Override
    public void close() throws IOException {
        shards.close();
    }
}
