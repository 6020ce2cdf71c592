package io.millrace.dataset.cifar;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.cifar.Variant.LabelByte;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.shard.OpenFiles;
import io.millrace.sample.DType;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A dataset of CIFAR files. A record consists of one or two label bytes and a picture of three planes: red, green and
 * blue.
 */
final class CifarDataset implements Dataset {
    private final List<DataFile> files;
    private final OpenFiles open;
    private final Variant variant;
    private final List<StoredField> fields;
    private final int labelByte;
    private final StoredLabels labels;
    private final List<String> classes;

    /** For each file, the number of samples in it and in all files before it. */
    private final long[] ends;

    /**
     * A field of a sample, and the part of the record that it is read from.
     *
     * @param source the field
     * @param labelByte the index of the label byte that becomes the field's value, or -1 when the field is the picture
     */
    record StoredField(FieldSource source, int labelByte) {}

    /**
     * Creates a dataset of files whose sizes are multiples of the size of a record.
     *
     * @param labelByte the index of the byte that is the label, or -1 for samples without a label
     * @param labels whether there is a label, and otherwise which bytes could be it
     */
    CifarDataset(
            List<DataFile> files,
            long[] records,
            Variant variant,
            List<StoredField> fields,
            int labelByte,
            StoredLabels labels,
            List<String> classes) {
        this.files = List.copyOf(files);
        this.open = new OpenFiles(files);
        this.variant = variant;
        this.fields = List.copyOf(fields);
        this.labelByte = labelByte;
        this.labels = labels;
        this.classes = List.copyOf(classes);
        this.ends = records.clone();
        Arrays.parallelPrefix(ends, Long::sum);
    }

    @Override
    public long size() {
        return ends[ends.length - 1];
    }

    @Override
    public Sample read(long index) throws IOException {
        Objects.checkIndex(index, size());
        int file = fileIndex(index);
        long number = index - (file == 0 ? 0 : ends[file - 1]);
        long offset = number * variant.recordBytes();
        String name = files.get(file).name();
        ValuePlace place = new ValuePlace(name + "#" + number, offset);
        byte[] record;
        try (OpenFiles.Lease lease = open.lease(file)) {
            record = lease.file().read(offset, variant.recordBytes());
        }
        String key = name.substring(name.lastIndexOf('/') + 1) + "#" + number;
        Sample sample = new Sample(index, key, labelByte < 0 ? Labels.NONE : label(record, labelByte, place));
        for (StoredField field : fields) {
            sample.put(
                    field.source.name(),
                    field.labelByte < 0
                            ? FieldValues.numbers(
                                    field.source,
                                    DType.UINT8,
                                    new int[] {Variant.ROWS, Variant.COLUMNS, Variant.CHANNELS},
                                    interleaved(record, variant.labels().size()),
                                    place)
                            : FieldValues.numbers(
                                    field.source,
                                    DType.UINT8,
                                    new int[0],
                                    new byte[] {(byte) label(record, field.labelByte, place)},
                                    place));
        }
        return sample;
    }

    private int fileIndex(long index) {
        int found = Arrays.binarySearch(ends, index + 1);
        return found < 0 ? -found - 1 : found;
    }

    private int label(byte[] record, int at, ValuePlace place) throws BadSampleException {
        LabelByte kind = variant.labels().get(at);
        int label = record[at] & 0xFF;
        if (label >= kind.classes()) {
            throw new ValuePlace(place.file(), place.offset() + at)
                    .badSample("expected a " + kind.name() + " label of 0 to " + (kind.classes() - 1) + ", found "
                            + label);
        }
        return label;
    }

    private static byte[] interleaved(byte[] record, int start) {
        int plane = Variant.ROWS * Variant.COLUMNS;
        byte[] pixels = new byte[Variant.PICTURE_BYTES];
        for (int pixel = 0; pixel < plane; pixel++) {
            for (int channel = 0; channel < Variant.CHANNELS; channel++) {
                pixels[pixel * Variant.CHANNELS + channel] = record[start + channel * plane + pixel];
            }
        }
        return pixels;
    }

    @Override
    public OptionalLong storedBytes() {
        return OptionalLong.of(size() * variant.recordBytes());
    }

    @Override
    public StoredLabels labels() {
        return labels;
    }

    @Override
    public List<String> classes() {
        return classes;
    }

    @Override
    public void close() throws IOException {
        open.close();
    }
}
