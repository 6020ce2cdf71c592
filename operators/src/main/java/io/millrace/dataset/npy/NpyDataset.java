package io.millrace.dataset.npy;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.dataset.shard.OpenFiles;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/** A dataset of arrays with the same number of items: item i of every array belongs to sample i. */
final class NpyDataset implements Dataset {
    private final List<Column> fields;
    private final List<Column> label;
    private final Labels labels;
    private final OpenFiles open;
    private final long size;

    /**
     * One array.
     *
     * @param source the field that the array becomes
     * @param file the array's number among the open files
     * @param name the file's name for messages
     * @param header the header of the file
     */
    record Column(FieldSource source, int file, String name, NpyHeader header) {
        int itemBytes() {
            return (int) (header.elements(1) * header.type().bytes());
        }

        int[] itemShape() {
            return header.shape().stream()
                    .skip(1)
                    .mapToInt(extent -> (int) Math.min(extent, Integer.MAX_VALUE))
                    .toArray();
        }
    }

    /**
     * Creates a dataset and takes ownership of {@code open}.
     *
     * @param label the label's array, or an empty list
     */
    NpyDataset(List<Column> fields, List<Column> label, Labels labels, OpenFiles open, long size) {
        this.fields = List.copyOf(fields);
        this.label = List.copyOf(label);
        this.labels = labels;
        this.open = open;
        this.size = size;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Sample read(long index) throws IOException {
        String first = (fields.isEmpty() ? label : fields).get(0).name();
        Sample sample = new Sample(index, first.substring(first.lastIndexOf('/') + 1) + "#" + index, label(index));
        for (Column column : fields) {
            sample.put(
                    column.source().name(),
                    FieldValues.numbers(
                            column.source(),
                            column.header().type().dtype(),
                            column.itemShape(),
                            item(column, index),
                            place(column, index)));
        }
        return sample;
    }

    @Override
    public long label(long index) throws IOException {
        Objects.checkIndex(index, size);
        if (label.isEmpty()) {
            return Labels.NONE;
        }
        Column column = label.get(0);
        return labels.of(column.header().type().dtype(), column.itemShape(), item(column, index), place(column, index));
    }

    private byte[] item(Column column, long index) throws IOException {
        try (OpenFiles.Lease lease = open.lease(column.file())) {
            return column.header().type().decode(lease.file().read(offset(column, index), column.itemBytes()));
        }
    }

    private static long offset(Column column, long index) {
        return column.header().bytes() + index * column.itemBytes();
    }

    private static ValuePlace place(Column column, long index) {
        return new ValuePlace(column.name() + "#" + index, offset(column, index));
    }

    @Override
    public OptionalLong storedBytes() {
        long bytes = 0;
        for (Column column : fields) {
            bytes += column.itemBytes() * size;
        }
        for (Column column : label) {
            bytes += column.itemBytes() * size;
        }
        return OptionalLong.of(bytes);
    }

    @Override
    public List<String> classes() {
        return labels.classes();
    }

    @Override
    public void close() throws IOException {
        open.close();
    }
}
