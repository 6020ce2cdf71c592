package io.millrace.dataset.hdf5;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.Table;
import io.millrace.dataset.fields.LabelCandidates;
import io.millrace.dataset.fields.LabelCandidates.Kind;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.LocalCopy;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.DType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The chosen datasets of an HDF5 file, as columns with the same number of rows.
 *
 * <p>Tested by {@code Hdf5DatasetTest}.
 */
final class Hdf5Table implements Table {
    private static final int MOST_NAMES = 20;

    private final String name;
    private final LocalCopy copy;
    private final RangedFile file;
    private final List<StoredArray> arrays;
    private final LoadedCache<Chunks.CacheKey, byte[]> cache;

    private Hdf5Table(
            String name,
            LocalCopy copy,
            RangedFile file,
            List<StoredArray> arrays,
            LoadedCache<Chunks.CacheKey, byte[]> cache) {
        this.name = name;
        this.copy = copy;
        this.file = file;
        this.arrays = arrays;
        this.cache = cache;
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
        try {
            RangedFile file = copy.ranged();
            try {
                return new Hdf5Table(data.name(), copy, file, arrays(file, choice, cache), cache);
            } catch (IOException | RuntimeException e) {
                Handles.closeAfter(e, file);
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, copy);
            throw e;
        }
    }

    private static List<StoredArray> arrays(
            RangedFile file, Hdf5Choice choice, LoadedCache<Chunks.CacheKey, byte[]> cache) throws IOException {
        Hdf5File hdf;
        List<String> present;
        try {
            hdf = Hdf5File.open(file);
            present = hdf.names();
        } catch (MalformedHdf5Exception e) {
            throw new DatasetException(
                    file.name() + " is no HDF5 file, or is damaged: at offset " + e.offset() + " " + e.getMessage(), e);
        } catch (UnsupportedHdf5Exception e) {
            throw new DatasetException(file.name() + ": the root group " + e.getMessage(), e);
        }
        List<StoredArray> arrays = new ArrayList<>();
        for (String name : choice.names(Set.copyOf(present))) {
            StoredArray array = array(hdf, name, present, cache);
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

    private static StoredArray array(
            Hdf5File hdf, String name, List<String> present, LoadedCache<Chunks.CacheKey, byte[]> cache)
            throws IOException {
        String file = hdf.bytes().file().name();
        try {
            Optional<ObjectHeader> header = hdf.find(name);
            if (header.isPresent() && header.get().find(ObjectHeader.LAYOUT).isPresent()) {
                return StoredArray.of(hdf.bytes(), name, header.get(), cache);
            }
        } catch (MalformedHdf5Exception e) {
            throw new DatasetException(
                    file + " is cut off or damaged: dataset '" + name + "' at offset " + e.offset() + ": "
                            + e.getMessage(),
                    e);
        } catch (UnsupportedHdf5Exception e) {
            throw new DatasetException(file + ": dataset '" + name + "' " + e.getMessage(), e);
        }
        List<String> sorted = present.stream().sorted().toList();
        throw new DatasetException(file + " has no dataset '" + name + "'; at its root it has "
                + (sorted.size() <= MOST_NAMES
                        ? sorted.toString()
                        : sorted.subList(0, MOST_NAMES) + " and " + (sorted.size() - MOST_NAMES) + " more"));
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

    /** Returns the datasets in the root group with one number or text for each row. */
    @Override
    public LabelCandidates labelCandidates() throws IOException {
        LabelCandidates candidates = new LabelCandidates();
        Hdf5File hdf = Hdf5File.open(file);
        for (String each : hdf.names().stream().sorted().limit(MOST_NAMES).toList()) {
            oneForEachRow(hdf, each).ifPresent(array -> {
                boolean text = array.dtype().isEmpty();
                candidates.add(each, text ? Kind.TEXT : Kind.WHOLE_NUMBER);
            });
        }
        return candidates;
    }

    private Optional<StoredArray> oneForEachRow(Hdf5File hdf, String dataset) throws IOException {
        try {
            Optional<ObjectHeader> header = hdf.find(dataset);
            if (header.isEmpty() || header.get().find(ObjectHeader.LAYOUT).isEmpty()) {
                return Optional.empty();
            }
            StoredArray array = StoredArray.of(hdf.bytes(), dataset, header.get(), cache);
            return array.isSingle()
                            && array.rows() == rows()
                            && array.dtype().filter(DType::isFloat).isEmpty()
                    ? Optional.of(array)
                    : Optional.empty();
        } catch (MalformedHdf5Exception | UnsupportedHdf5Exception e) {
            return Optional.empty(); // what cannot be read is not proposed
        }
    }

    @Override
    public Rows select(List<String> columns, Set<Integer> texts) throws IOException {
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
        public Optional<DType> elementType(int column) {
            return arrays.get(column).dtype();
        }

        @Override
        public List<String> dictionary(int column) {
            return List.of();
        }
    }
}
