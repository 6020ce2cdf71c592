package io.millrace.dataset.hdf5;

import io.jhdf.HdfFile;
import io.jhdf.api.Dataset;
import io.jhdf.api.Group;
import io.jhdf.api.Node;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.Table;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.LocalCopy;
import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The chosen datasets of an HDF5 file, as columns with the same number of rows. */
final class Hdf5Table implements Table {
    private final String name;
    private final LocalCopy copy;
    private final HdfFile hdf;
    private final RangedFile file;
    private final List<StoredArray> arrays;

    private Hdf5Table(String name, LocalCopy copy, HdfFile hdf, RangedFile file, List<StoredArray> arrays) {
        this.name = name;
        this.copy = copy;
        this.hdf = hdf;
        this.file = file;
        this.arrays = arrays;
    }

    /**
     * Opens a file, or a copy of it when the file is not on this machine.
     *
     * @param choice the choice of the datasets to read
     * @throws DatasetException when the file is no HDF5 file, or lacks one of the datasets
     */
    static Hdf5Table open(DataFile data, Hdf5Choice choice, LoadedCache<Chunks.CacheKey, byte[]> cache)
            throws IOException {
        LocalCopy copy = data.localCopy();
        RangedFile file = null;
        HdfFile hdf = null;
        try {
            file = copy.ranged();
            hdf = new HdfFile(copy.path());
            return new Hdf5Table(data.name(), copy, hdf, file, arrays(hdf, file, choice, cache));
        } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
            if (hdf != null) {
                hdf.close();
            }
            if (file != null) {
                file.close();
            }
            copy.close();
            if (e instanceof IOException known) {
                throw known;
            }
            throw new DatasetException(
                    data.name() + " is no HDF5 file, or is damaged: "
                            + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()),
                    e);
        }
    }

    private static List<StoredArray> arrays(
            HdfFile hdf, RangedFile file, Hdf5Choice choice, LoadedCache<Chunks.CacheKey, byte[]> cache)
            throws DatasetException {
        List<StoredArray> arrays = new ArrayList<>();
        for (String name : choice.names(hdf.getChildren().keySet())) {
            StoredArray array = StoredArray.of(file, name, dataset(hdf, file, name), hdf.getUserBlockSize(), cache);
            if (!arrays.isEmpty() && array.rows() != arrays.get(0).rows()) {
                throw new DatasetException(file.name() + ": dataset '"
                        + arrays.get(0).name() + "' has " + arrays.get(0).rows() + " rows; expected as many rows in '"
                        + name
                        + "', found " + array.rows());
            }
            arrays.add(array);
        }
        return arrays;
    }

    private static Dataset dataset(HdfFile hdf, RangedFile file, String name) throws DatasetException {
        Node node = hdf;
        for (String step : name.split("/", -1)) {
            if (!step.isEmpty()) {
                node = node instanceof Group group ? group.getChild(step) : null;
            }
        }
        // A link to another file would lead out of the file that the user named.
        if (node instanceof Dataset dataset && dataset.getHdfFile() == hdf) {
            return dataset;
        }
        throw new DatasetException(file.name() + " has no dataset '" + name + "'; at its root it has "
                + hdf.getChildren().keySet().stream()
                        .sorted(Comparator.naturalOrder())
                        .toList());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long rows() {
        return arrays.get(0).rows();
    }

    @Override
    public List<Column> columns() {
        return arrays.stream()
                .map(array -> new Column(array.name(), array.describe(), false, List.of()))
                .toList();
    }

    @Override
    public Rows select(List<String> columns) throws IOException {
        List<StoredArray> selected = new ArrayList<>();
        for (String column : columns) {
            selected.add(arrays.stream()
                    .filter(array -> array.name().equals(column))
                    .findFirst()
                    .orElseThrow(() -> new DatasetException(name() + " has no dataset '" + column + "'")));
        }
        return new Selected(selected);
    }

    @Override
    public void close() throws IOException {
        try {
            hdf.close();
            file.close();
        } finally {
            copy.close();
        }
    }

    private record Selected(List<StoredArray> arrays) implements Rows {
        @Override
        public StoredValue value(int column, long row) throws IOException {
            return arrays.get(column).value(row);
        }

        @Override
        public long offset(long row) {
            return arrays.isEmpty() ? -1 : arrays.get(0).position(row);
        }

        @Override
        public List<String> dictionary(int column) {
            return List.of();
        }
    }
}
