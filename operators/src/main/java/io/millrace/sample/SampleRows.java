package io.millrace.sample;

import java.util.Arrays;

/**
 * Good samples at consecutive positions of a run, in one epoch and one split, whose values are still where the dataset stores
 * them. Immutable.
 */
public final class SampleRows implements Samples {
    private final StoredRows stored;
    private final long position;
    private final long[] indexes;
    private final long[] labels;

    /**
     * Takes ownership of the arrays.
     *
     * @param position the position of the first sample
     * @param indexes the indexes of the samples in their dataset, at least one
     * @param labels as many labels
     */
    public SampleRows(StoredRows stored, long position, long[] indexes, long[] labels) {
        if (indexes.length == 0 || indexes.length != labels.length) {
            throw new IllegalArgumentException("expected as many labels as indexes and at least one, found "
                    + labels.length + " and " + indexes.length);
        }
        this.stored = stored;
        this.position = position;
        this.indexes = indexes;
        this.labels = labels;
    }

    @Override
    public int count() {
        return indexes.length;
    }

    /** Returns the rows of the dataset, among them those of these samples. */
    public StoredRows stored() {
        return stored;
    }

    /** Returns the position of a sample in the run, as {@link Sample#position} does. */
    public long position(int row) {
        return position + row;
    }

    /** Returns the index of a sample in its dataset. */
    public long index(int row) {
        return indexes[row];
    }

    public long label(int row) {
        return labels[row];
    }

    /** Reads the values that are not in memory, so that copying them does not wait. */
    public void load() {
        for (int column = 0; column < stored.columns().size(); column++) {
            for (long index : indexes) {
                stored.load(column, index);
            }
        }
    }

    /** Returns the fields of one sample with their types and shapes, but without their values, for messages. */
    public Sample describe(int row) {
        Sample sample = new Sample(indexes[row], stored.key(indexes[row]), labels[row]);
        for (StoredRows.Column column : stored.columns()) {
            int[] shape = column.shape().stream().mapToInt(Integer::intValue).toArray();
            sample.put(column.name(), Field.of(column.dtype(), shape, new byte[Math.toIntExact(column.bytes())]));
        }
        return sample;
    }

    @Override
    public String toString() {
        return "SampleRows[position=" + position + ", indexes=" + Arrays.toString(indexes) + "]";
    }
}
