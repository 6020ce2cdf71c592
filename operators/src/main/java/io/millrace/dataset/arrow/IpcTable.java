package io.millrace.dataset.arrow;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.arrow.IpcField.Kind;
import io.millrace.dataset.arrow.IpcLayout.FieldLayout;
import io.millrace.dataset.columns.HuggingFaceFeatures;
import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.StoredValue.Form;
import io.millrace.dataset.columns.Table;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.DType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * An Arrow file or stream as a table.
 *
 * <p>Tested by {@code ArrowDatasetTest}.
 */
final class IpcTable implements Table {
    private final IpcFile ipc;
    private final HuggingFaceFeatures features;
    private final IpcValues values;
    private final IpcTexts texts;

    /** The number of the first row of each batch, followed by the number of all rows. */
    private final long[] firsts;

    private IpcTable(IpcFile ipc, HuggingFaceFeatures features, LoadedCache<IpcBuffers.CacheKey, byte[]> cache)
            throws IOException {
        this.ipc = ipc;
        this.features = features;
        IpcBuffers buffers = new IpcBuffers(ipc.file(), cache);
        this.values = new IpcValues(buffers);
        this.texts = new IpcTexts(buffers, values);
        this.firsts = new long[ipc.batches().size() + 1];
        for (int i = 0; i < ipc.batches().size(); i++) {
            firsts[i + 1] = firsts[i] + ipc.batches().get(i).rows();
        }
    }

    /** Reads the structure of a file. Takes ownership of the file, and closes it if the structure cannot be read. */
    static IpcTable open(RangedFile file, LoadedCache<IpcBuffers.CacheKey, byte[]> cache) throws IOException {
        try {
            IpcFile ipc = IpcFileReader.read(file);
            return new IpcTable(
                    ipc,
                    HuggingFaceFeatures.of(ipc.schema().metadata().get(HuggingFaceFeatures.KEY), file.name()),
                    cache);
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, file);
            throw e;
        }
    }

    @Override
    public String name() {
        return ipc.file().name();
    }

    @Override
    public long rows() {
        return firsts[firsts.length - 1];
    }

    @Override
    public List<Column> columns() {
        return ipc.schema().fields().stream()
                .map(field -> new Column(
                        field.name(),
                        IpcColumns.describe(field),
                        features.isImage(field.name())
                                || (field.kind() == Kind.STRUCT
                                        && field.child("bytes").isPresent()),
                        features.classes(field.name())))
                .toList();
    }

    @Override
    public Rows select(List<String> columns, Set<Integer> asTexts) throws IOException {
        List<List<Integer>> paths = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            paths.add(IpcColumns.path(name(), ipc.schema().fields(), columns.get(i), asTexts.contains(i)));
        }
        return new Selected(paths, asTexts);
    }

    @Override
    public void close() throws IOException {
        ipc.file().close();
    }

    private final class Selected implements Rows {
        private final List<List<Integer>> paths;

        /** The numbers of the columns whose structs and lists become JSON text. */
        private final Set<Integer> asTexts;

        Selected(List<List<Integer>> paths, Set<Integer> asTexts) {
            this.paths = List.copyOf(paths);
            this.asTexts = Set.copyOf(asTexts);
        }

        private boolean isText(int column) {
            return asTexts.contains(column) && IpcColumns.isNestedText(field(column));
        }

        @Override
        public StoredValue value(int column, long row) throws IOException {
            int number = batchOf(row);
            IpcBatch batch = ipc.batches().get(number);
            List<FieldLayout> layouts = IpcColumns.layouts(batch.layout(), paths.get(column));
            long at = row - firsts[number];
            for (FieldLayout outer : layouts.subList(0, layouts.size() - 1)) {
                values.requireValue(batch, outer, at);
            }
            FieldLayout layout = layouts.get(layouts.size() - 1);
            return isText(column) ? texts.text(batch, layout, at) : values.value(batch, layout, at);
        }

        @Override
        public long offset(long row) {
            return ipc.batches().get(batchOf(row)).position();
        }

        @Override
        public boolean declaresShape(int column) {
            return isText(column) || !IpcColumns.isNested(field(column));
        }

        @Override
        public Optional<DType> elementType(int column) {
            return isText(column) ? Optional.empty() : IpcColumns.elementType(field(column));
        }

        private IpcField field(int column) {
            IpcField field = null;
            List<IpcField> among = ipc.schema().fields();
            for (int at : paths.get(column)) {
                field = among.get(at);
                among = field.children();
            }
            return Objects.requireNonNull(field);
        }

        @Override
        public boolean resident() {
            return ipc.batches().stream()
                    .allMatch(batch -> batch.codec().isEmpty()
                            && asTexts.isEmpty()
                            && paths.stream().allMatch(path -> isResident(IpcColumns.layouts(batch.layout(), path))));
        }

        private boolean isResident(List<FieldLayout> layouts) {
            return values.isResident(layouts.get(layouts.size() - 1).field());
        }

        /** Returns all values that the dictionaries of the batches hold, in the order of their appearance. */
        @Override
        public List<String> dictionary(int column) throws IOException {
            Set<String> names = new LinkedHashSet<>();
            Set<IpcDictionary> seen = new LinkedHashSet<>();
            for (IpcBatch batch : ipc.batches()) {
                List<FieldLayout> layouts = IpcColumns.layouts(batch.layout(), paths.get(column));
                Optional<IpcDictionary> dictionary = layouts.get(layouts.size() - 1)
                        .field()
                        .dictionary()
                        .flatMap(d -> Optional.ofNullable(batch.dictionaries().get(d.id())));
                if (dictionary.isPresent() && seen.add(dictionary.get())) {
                    try {
                        addNames(dictionary.get(), names);
                    } catch (BadSampleException e) {
                        throw new DatasetException(
                                name() + ": the dictionary at offset " + e.offset() + " is damaged: " + e.reason(), e);
                    }
                }
            }
            return List.copyOf(names);
        }

        private void addNames(IpcDictionary dictionary, Set<String> names) throws IOException {
            for (long i = 0; i < dictionary.size(); i++) {
                StoredValue name = values.dictionaryValue(dictionary.batches(), i);
                if (name.form() != Form.TEXT) {
                    return;
                }
                names.add(new String(name.data(), StandardCharsets.UTF_8));
            }
        }
    }

    private int batchOf(long row) {
        int found = Arrays.binarySearch(firsts, row);
        int batch = found >= 0 ? found : -found - 2;
        while (firsts[batch + 1] == row) {
            batch++; // skips batches without rows
        }
        return batch;
    }
}
