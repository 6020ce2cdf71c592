package io.millrace.dataset.parquet;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.HuggingFaceFeatures;
import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.Table;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.DType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.RowGroup;
import org.jspecify.annotations.Nullable;

/**
 * A Parquet file as a table.
 *
 * <p>Tested by {@code ParquetDatasetTest}.
 */
final class ParquetTable implements Table {
    private final RangedFile file;
    private final FileMetaData footer;
    private final List<SchemaTree> schema;
    private final HuggingFaceFeatures features;
    private final LoadedCache<ColumnGroup.CacheKey, ColumnGroup.Loaded> cache;

    /** The number of the first row of each row group, followed by the number of all rows. */
    private final long[] firsts;

    private ParquetTable(
            RangedFile file,
            FileMetaData footer,
            List<SchemaTree> schema,
            HuggingFaceFeatures features,
            LoadedCache<ColumnGroup.CacheKey, ColumnGroup.Loaded> cache) {
        this.file = file;
        this.footer = footer;
        this.schema = schema;
        this.features = features;
        this.cache = cache;
        this.firsts = new long[footer.getRow_groups().size() + 1];
        for (int i = 0; i < footer.getRow_groups().size(); i++) {
            firsts[i + 1] = firsts[i] + footer.getRow_groups().get(i).getNum_rows();
        }
    }

    /** Reads the footer. Takes ownership of the file, and closes it if the footer cannot be read. */
    static ParquetTable open(RangedFile file, LoadedCache<ColumnGroup.CacheKey, ColumnGroup.Loaded> cache)
            throws IOException {
        try {
            FileMetaData footer = ParquetFooter.read(file);
            return new ParquetTable(file, footer, schema(file, footer), features(file, footer), cache);
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, file);
            throw e;
        }
    }

    private static List<SchemaTree> schema(RangedFile file, FileMetaData footer) throws DatasetException {
        try {
            return SchemaTree.of(footer.getSchema());
        } catch (RuntimeException e) {
            throw new DatasetException(file.name() + ": the schema is damaged: " + e.getMessage(), e);
        }
    }

    private static HuggingFaceFeatures features(RangedFile file, FileMetaData footer) throws DatasetException {
        List<KeyValue> entries = footer.isSetKey_value_metadata() ? footer.getKey_value_metadata() : List.of();
        for (KeyValue entry : entries) {
            if (HuggingFaceFeatures.KEY.equals(entry.getKey())) {
                return HuggingFaceFeatures.of(entry.getValue(), file.name());
            }
        }
        return HuggingFaceFeatures.of(null, file.name());
    }

    @Override
    public String name() {
        return file.name();
    }

    @Override
    public long rows() {
        return firsts[firsts.length - 1];
    }

    @Override
    public List<Column> columns() {
        return schema.stream()
                .map(column -> new Column(
                        column.name(),
                        column.describe(),
                        features.isImage(column.name()) || column.child("bytes").isPresent(),
                        features.classes(column.name())))
                .toList();
    }

    @Override
    public Rows select(List<String> columns, Set<Integer> texts) throws IOException {
        List<Groups> selected = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            String name = columns.get(i);
            if (texts.contains(i)
                    && !ColumnFinder.tree(file.name(), schema, name).isLeaf()) {
                NestedColumn nested = NestedColumn.of(file.name(), ColumnFinder.tree(file.name(), schema, name));
                List<List<ColumnGroup>> leaves = new ArrayList<>();
                for (ParquetColumn leaf : nested.leaves()) {
                    leaves.add(groups(name, leaf));
                }
                selected.add(new Nested(nested, leaves));
            } else {
                selected.add(new Plain(groups(name, ColumnFinder.find(file.name(), schema, name))));
            }
        }
        return new Selected(selected);
    }

    private List<ColumnGroup> groups(String name, ParquetColumn column) throws DatasetException {
        List<ColumnGroup> groups = new ArrayList<>();
        for (RowGroup group : footer.getRow_groups()) {
            groups.add(group(name, column, group));
        }
        return groups;
    }

    /** A selected column in all row groups. */
    private sealed interface Groups {
        /** Returns the value of a row of a row group. */
        StoredValue value(int group, long row) throws IOException;

        /** Returns the column, or the first one of several, in each row group. */
        List<ColumnGroup> first();
    }

    private record Plain(List<ColumnGroup> first) implements Groups {
        @Override
        public StoredValue value(int group, long row) throws IOException {
            return first.get(group).value(row);
        }
    }

    /**
     * A column that becomes JSON text.
     *
     * @param leaves the columns that hold its values, each in all row groups
     */
    private record Nested(NestedColumn column, List<List<ColumnGroup>> leaves) implements Groups {
        @Override
        public StoredValue value(int group, long row) throws IOException {
            List<LeafValues> values = new ArrayList<>(leaves.size());
            for (List<ColumnGroup> leaf : leaves) {
                values.add(leaf.get(group).entries(row));
            }
            try {
                StoredValue text = column.text(values);
                if (text == null) {
                    throw first().get(group).badSample("expected a value, found null");
                }
                return text;
            } catch (IllegalArgumentException e) {
                throw first().get(group).badSample(String.valueOf(e.getMessage()));
            }
        }

        @Override
        public List<ColumnGroup> first() {
            return leaves.get(0);
        }
    }

    private ColumnGroup group(String name, ParquetColumn column, RowGroup group) throws DatasetException {
        try {
            ColumnChunk chunk = group.getColumns().stream()
                    .filter(c -> column.path().equals(path(c)))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("a row group lacks the column"));
            if (chunk.isSetCrypto_metadata()) {
                throw new DatasetException(
                        file.name() + ": column '" + name + "' is encrypted, which is not supported");
            }
            ColumnPages pages = ColumnPages.of(file, chunk, FileWriter.of(footer.getCreated_by()));
            String refusal = PageCodec.refusal(pages.codec());
            if (!refusal.isEmpty()) {
                throw new DatasetException(file.name() + ": column '" + name + "' is compressed with " + pages.codec()
                        + ", which is not supported; " + refusal);
            }
            return new ColumnGroup(column, pages, group.getNum_rows(), cache);
        } catch (RuntimeException e) {
            throw new DatasetException(
                    file.name() + ": the footer's entry for column '" + name + "' is damaged: " + e.getMessage(), e);
        }
    }

    private static @Nullable List<String> path(ColumnChunk chunk) {
        if (chunk.isSetMeta_data()) {
            return chunk.getMeta_data().getPath_in_schema();
        }
        return chunk.isSetCrypto_metadata() && chunk.getCrypto_metadata().isSetENCRYPTION_WITH_COLUMN_KEY()
                ? chunk.getCrypto_metadata().getENCRYPTION_WITH_COLUMN_KEY().getPath_in_schema()
                : null;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private int groupOf(long row) {
        int found = Arrays.binarySearch(firsts, row);
        int group = found >= 0 ? found : -found - 2;
        while (firsts[group + 1] == row) {
            group++; // skips row groups without rows
        }
        return group;
    }

    private final class Selected implements Rows {
        private final List<Groups> columns;

        Selected(List<Groups> columns) {
            this.columns = columns;
        }

        @Override
        public StoredValue value(int column, long row) throws BadSampleException, IOException {
            int group = groupOf(row);
            return columns.get(column).value(group, row - firsts[group]);
        }

        @Override
        public long offset(long row) {
            return columns.isEmpty()
                    ? -1
                    : columns.get(0).first().get(groupOf(row)).start();
        }

        @Override
        public boolean declaresShape(int column) {
            return columns.get(column) instanceof Nested
                    || columns.get(column).first().stream()
                            .noneMatch(group -> group.column().depth() > 1);
        }

        @Override
        public Optional<DType> elementType(int column) {
            return columns.get(column) instanceof Plain plain
                    ? plain.first().stream()
                            .findFirst()
                            .map(group -> group.column().content().dtype())
                    : Optional.empty();
        }

        @Override
        public List<String> dictionary(int column) {
            return List.of();
        }
    }
}
