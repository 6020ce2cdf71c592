package io.millrace.source;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.types.FieldTypes;
import io.millrace.dataset.types.SettledDataset;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.StoredRows;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One of the run's two datasets.
 *
 * @param path the dataset's name for messages
 * @param shortRows the rows of the dataset if they are short; null otherwise
 */
record NamedDataset(String path, Dataset dataset, @Nullable StoredRows shortRows) {
    /**
     * From this number of bytes on, a row is passed on by itself: the packer then refers to its values instead of copying them,
     * and the cost of a record is small beside that of the values.
     */
    private static final int LONG_ROW_BYTES = 4096;

    NamedDataset(String path, Dataset dataset) {
        this(path, dataset, shortRows(dataset));
    }

    /** A function that returns the packs of a dataset that is packed, and another dataset itself. */
    @FunctionalInterface
    interface Packing {
        Dataset of(Dataset documents) throws IOException;
    }

    static NamedDataset open(DatasetSpec spec, FieldTypes types, PositionReader.Access access, Packing packing)
            throws IOException {
        Dataset opened = access.open(spec);
        try {
            return new NamedDataset(spec.path(), packing.of(SettledDataset.same(spec.path(), opened, types)));
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, opened);
            throw e;
        }
    }

    private static @Nullable StoredRows shortRows(Dataset dataset) {
        StoredRows rows = dataset.rows();
        return rows == null || rows.columns().stream().anyMatch(column -> column.bytes() >= LONG_ROW_BYTES)
                ? null
                : rows;
    }

    void checkSize(long planned) throws DatasetException {
        if (dataset.size() != planned) {
            throw new DatasetException("dataset " + path + " has " + dataset.size() + " samples, but had " + planned
                    + " when the run was planned: it has changed, or this machine has another copy of it");
        }
    }

    void closeAfter(Exception failure) {
        Handles.closeAfter(failure, dataset);
    }
}
