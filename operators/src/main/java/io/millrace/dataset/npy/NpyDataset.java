package io.millrace.dataset.npy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.dataset.shard.OpenFiles;
import io.millrace.dataset.storage.Residence;
import io.millrace.dataset.storage.SegmentRows;
import io.millrace.dataset.storage.Segments;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.StoredRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A dataset of arrays with the same number of items: item i of every array belongs to sample i. */
final class NpyDataset implements Dataset {
    private final List<Column> fields;
    private final List<Column> label;
    private final Labels labels;
    private final LabelSearch stored;
    private final OpenFiles open;
    private final String name;
    private final long size;
    private final Residence residence;

    /** The labels if they are mapped numbers that need no conversion; null otherwise. */
    private final @Nullable Segments numbers;

    private final NpyType labelType;

    /** The search for what could be the label, which reads files. */
    @FunctionalInterface
    interface LabelSearch {
        StoredLabels find() throws IOException;
    }

    /**
     * One array.
     *
     * @param source the field that the array becomes
     * @param file the array's number among the open files
     * @param name the file's name for messages
     * @param header the header of the file
     * @param mapped the elements of a file on this machine; null when the file is elsewhere
     * @param itemBytes the bytes of an item, which follow from the header
     */
    record Column(
            FieldSource source,
            int file,
            String name,
            NpyHeader header,
            @Nullable Segments mapped,
            int itemBytes) {
        Column(FieldSource source, int file, String name, NpyHeader header, @Nullable Segments mapped) {
            this(source, file, name, header, mapped, (int)
                    (header.elements(1) * header.type().bytes()));
        }

        int[] itemShape() {
            List<Long> shape = header.shape();
            int[] extents = new int[shape.size() - 1];
            for (int i = 0; i < extents.length; i++) {
                extents[i] = (int) Math.min(shape.get(i + 1), Integer.MAX_VALUE);
            }
            return extents;
        }
    }

    /**
     * Creates a dataset and takes ownership of {@code open}.
     *
     * @param label the label's array, or an empty list
     * @param stored finds whether there is a label, and otherwise which files could have it
     */
    NpyDataset(List<Column> fields, List<Column> label, Labels labels, LabelSearch stored, OpenFiles open, long size) {
        this.fields = List.copyOf(fields);
        this.label = List.copyOf(label);
        this.labels = labels;
        this.stored = stored;
        this.open = open;
        this.size = size;
        String first = (fields.isEmpty() ? label : fields).get(0).name();
        this.name = first.substring(first.lastIndexOf('/') + 1);
        this.labelType = (label.isEmpty() ? fields : label).get(0).header().type();
        boolean plain =
                !label.isEmpty() && labelType.isFieldForm() && label.get(0).itemBytes() == labelType.bytes();
        this.numbers = plain ? label.get(0).mapped() : null;
        this.residence = new Residence(
                () -> Stream.of(fields, label).flatMap(List::stream).allMatch(NpyDataset::isNearlyLoaded));
    }

    private static boolean isNearlyLoaded(Column column) {
        Segments mapped = column.mapped();
        return mapped != null && mapped.areNearlyLoaded();
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Sample read(long index) throws IOException {
        Sample sample = new Sample(index, name, index, label(index));
        for (Column column : fields) {
            sample.put(column.source().name(), field(column, index));
        }
        return sample;
    }

    private Field field(Column column, long index) throws IOException {
        return FieldValues.numbers(column.source(), tensor(column, index), place(column, index));
    }

    @Override
    public long label(long index) throws IOException {
        Objects.checkIndex(index, size);
        if (label.isEmpty()) {
            return Labels.NONE;
        }
        Column column = label.get(0);
        if (numbers != null) {
            long at = index * labelType.bytes();
            return labels.of(labelType.dtype(), numbers.segment(at), numbers.inSegment(at), place(column, index));
        }
        return labels.of(column.header().type().dtype(), column.itemShape(), item(column, index), place(column, index));
    }

    private Field tensor(Column column, long index) throws IOException {
        NpyType type = column.header().type();
        Segments mapped = column.mapped();
        ByteBuffer stored = mapped == null || !type.isFieldForm()
                ? null
                : mapped.stored(index * column.itemBytes(), column.itemBytes());
        if (stored == null) {
            return Field.of(type.dtype(), column.itemShape(), item(column, index));
        }
        if (!residence.isResident()) {
            Segments.load(stored); // on this thread, which reads ahead of the task's thread
        }
        return Field.stored(type.dtype(), column.itemShape(), stored);
    }

    private byte[] item(Column column, long index) throws IOException {
        Segments mapped = column.mapped();
        if (mapped != null) {
            byte[] bytes = new byte[column.itemBytes()];
            mapped.read(index * bytes.length, bytes);
            return column.header().type().decode(bytes);
        }
        try (OpenFiles.Lease lease = open.lease(column.file())) {
            return column.header().type().decode(lease.file().read(offset(column, index), column.itemBytes()));
        }
    }

    private static long offset(Column column, long index) {
        return column.header().bytes() + index * column.itemBytes();
    }

    private static ValuePlace place(Column column, long index) {
        return new ValuePlace(column.name(), index, offset(column, index));
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
    public StoredLabels labels() throws IOException {
        return stored.find();
    }

    @Override
    public List<String> classes() {
        return labels.classes();
    }

    /** Returns whether nearly all bytes of the files are in the page cache. */
    @Override
    public boolean resident() {
        return residence.isResident();
    }

    @Override
    public @Nullable StoredRows rows() {
        List<StoredRows.Column> columns = new ArrayList<>();
        List<Segments> segments = new ArrayList<>();
        for (Column column : fields) {
            Segments mapped = column.mapped();
            if (mapped == null
                    || size == 0
                    || column.source().annotation() != null
                    || !column.header().type().isFieldForm()) {
                return null;
            }
            try {
                Field first = field(column, 0); // the others differ from it only in their values
                columns.add(StoredRows.Column.of(column.source().name(), first));
            } catch (BadSampleException e) {
                return null; // reading the samples one by one says why each of them is bad
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
            segments.add(mapped);
        }
        return new SegmentRows(name, columns, segments);
    }

    @Override
    public void close() throws IOException {
        open.close();
    }
}
