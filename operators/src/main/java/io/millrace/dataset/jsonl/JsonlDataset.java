package io.millrace.dataset.jsonl;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.LabelCandidates;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.json.JsonValues;
import io.millrace.dataset.jsonl.LineReader.Line;
import io.millrace.dataset.shard.OpenFiles;
import io.millrace.dataset.shard.PieceIndex;
import io.millrace.dataset.shard.Shards;
import io.millrace.dataset.shard.Shards.Located;
import io.millrace.file.HeapLimit;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A dataset of lines, each of which is a JSON object. Tested by {@code JsonlFormatTest}. */
final class JsonlDataset implements Dataset {
    private final Shards<PieceIndex> shards;
    private final FieldSelection selection;
    private final Labels labels;
    private final LineReader reader;
    private final boolean onlyDocument;

    /** Whether closing this dataset closes the shards; false for a view of another one. */
    private final boolean owner;

    /** Creates a dataset and takes ownership of {@code shards}. */
    JsonlDataset(Shards<PieceIndex> shards, FieldSelection selection, Labels labels, LineReader reader) {
        this(shards, selection, labels, reader, true);
    }

    private JsonlDataset(
            Shards<PieceIndex> shards, FieldSelection selection, Labels labels, LineReader reader, boolean owner) {
        this.shards = shards;
        this.selection = selection;
        this.labels = labels;
        this.reader = reader;
        this.owner = owner;
        List<FieldSource> fields = selection.fields();
        this.onlyDocument = fields.size() == 1
                && selection.label().isEmpty()
                && reader.isDocument(fields.get(0))
                && fields.get(0).from().indexOf('/') < 0;
    }

    @Override
    public long size() {
        return shards.size();
    }

    @Override
    public Sample read(long index) throws IOException {
        Located<PieceIndex> place = shards.locate(index);
        Line line = line(place);
        String name = shards.shortName(place.shard());
        if (onlyDocument) {
            FieldSource source = selection.fields().get(0);
            return new Sample(index, name, place.sample(), Labels.NONE)
                    .put(source.name(), reader.onlyDocument(source, line));
        }
        JsonNode whole = LineReader.object(line);
        Sample sample = new Sample(index, name, place.sample(), label(whole, line));
        for (FieldSource source : selection.fields()) {
            sample.put(source.name(), reader.field(source, whole, line));
        }
        return sample;
    }

    @Override
    public long label(long index) throws IOException {
        if (selection.label().isEmpty()) {
            return Labels.NONE;
        }
        Line line = line(shards.locate(index));
        return label(LineReader.object(line), line);
    }

    private long label(JsonNode whole, Line line) throws BadSampleException {
        if (selection.label().isEmpty()) {
            return Labels.NONE;
        }
        FieldSource source = selection.label().get();
        return JsonValues.label(JsonValues.find(whole, source.from(), line.place()), labels, line.place());
    }

    /** Returns the names of the members of a line. */
    List<String> members(long index) throws IOException {
        List<String> names = new ArrayList<>();
        LineReader.object(line(shards.locate(index))).fieldNames().forEachRemaining(names::add);
        return names;
    }

    private Line line(Located<PieceIndex> place) throws IOException {
        long from = place.index().offset(place.sample());
        long bytes = place.index().offset(place.sample() + 1) - from;
        String name = shards.name(place.shard()) + ":" + place.index().number(place.sample());
        String refusal = HeapLimit.refusalOfArray("a line", bytes);
        if (!refusal.isEmpty()) {
            throw new BadSampleException(name, from, refusal);
        }
        try (OpenFiles.Lease lease = shards.lease(place.shard())) {
            return reader.line(lease.file().read(from, (int) bytes), name, from);
        }
    }

    @Override
    public Dataset only(String field) {
        return view(selection.fields().stream()
                .filter(source -> source.name().equals(field))
                .toList());
    }

    /** Returns the fields whose values decide their types: all but texts. */
    @Override
    public Optional<Dataset> undeclared() {
        List<FieldSource> undeclared = selection.fields().stream()
                .filter(source -> source.as() != As.TEXT && !reader.isDocument(source))
                .toList();
        return undeclared.isEmpty() ? Optional.empty() : Optional.of(view(undeclared));
    }

    private JsonlDataset view(List<FieldSource> fields) {
        return new JsonlDataset(
                shards, new FieldSelection(fields, Optional.empty(), selection.chosen()), labels, reader, false);
    }

    @Override
    public StoredLabels labels() {
        return selection.label().isPresent() ? StoredLabels.PRESENT : new LabelCandidates().without(selection);
    }

    @Override
    public List<String> classes() {
        return labels.classes();
    }

    @Override
    public OptionalLong storedBytes() {
        return OptionalLong.of(shards.contentBytes());
    }

    @Override
    public void close() throws IOException {
        if (owner) {
            shards.close();
        }
    }
}
