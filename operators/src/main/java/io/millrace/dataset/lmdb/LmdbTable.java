package io.millrace.dataset.lmdb;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.Table;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.lifecycle.Handles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A database as a table of keys and values, in the order of its keys. Its columns are {@code value}; {@code key}, as
 * text; and {@code folder}, the key up to its first slash.
 */
final class LmdbTable implements Table {
    static final String VALUE = "value";
    static final String KEY = "key";
    static final String FOLDER = "folder";

    private final LmdbFile file;
    private final LmdbKeys keys;

    private LmdbTable(LmdbFile file, LmdbKeys keys) {
        this.file = file;
        this.keys = keys;
    }

    /** Lists the keys of a file. Takes ownership of the file, and closes it if the keys cannot be read. */
    static LmdbTable open(RangedFile ranged) throws IOException {
        try {
            LmdbFile file = LmdbFile.of(ranged);
            return new LmdbTable(file, LmdbKeys.of(file));
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, ranged);
            throw e;
        }
    }

    @Override
    public String name() {
        return file.file().name();
    }

    @Override
    public long rows() {
        return keys.size();
    }

    /** Returns whether the first key has a slash, as paths of images have. */
    boolean hasFolders() throws IOException {
        if (rows() == 0) {
            return false;
        }
        LmdbKeys.KeyLocation first = keys.at(0);
        return new String(first.page().key(first.node()), StandardCharsets.UTF_8).contains("/");
    }

    @Override
    public List<Column> columns() {
        return List.of(
                new Column(VALUE, "bytes", true, List.of()),
                new Column(KEY, "text", false, List.of()),
                new Column(FOLDER, "text", false, List.of()));
    }

    @Override
    public Rows select(List<String> columns, Set<Integer> texts) throws IOException {
        for (String column : columns) {
            if (!List.of(VALUE, KEY, FOLDER).contains(column)) {
                throw new DatasetException(name() + " has no column '" + column
                        + "'; an LMDB database has value, key and folder, which is the key up to its first slash");
            }
        }
        return new Selected(List.copyOf(columns));
    }

    @Override
    public void close() throws IOException {
        file.file().close();
    }

    private final class Selected implements Rows {
        private final List<String> columns;

        Selected(List<String> columns) {
            this.columns = columns;
        }

        @Override
        public StoredValue value(int column, long row) throws IOException {
            LmdbKeys.KeyLocation place = keys.at(row);
            return switch (columns.get(column)) {
                case VALUE -> StoredValue.bytes(place.page().value(place.node()));
                case KEY -> StoredValue.text(place.page().key(place.node()));
                default ->
                    StoredValue.text(folder(place.page().key(place.node()))).as(StoredValue.Form.NAME);
            };
        }

        private byte[] folder(byte[] key) {
            String text = new String(key, StandardCharsets.UTF_8);
            return text.substring(0, Math.max(0, text.indexOf('/'))).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public long offset(long row) {
            return -1;
        }

        /** Returns the folders in the order of the keys, which is also the order of their names. */
        @Override
        public List<String> dictionary(int column) throws IOException {
            if (!columns.get(column).equals(FOLDER)) {
                return List.of();
            }
            Set<String> folders = new LinkedHashSet<>();
            for (long i = 0; i < rows(); i++) {
                LmdbKeys.KeyLocation place = keys.at(i);
                folders.add(new String(folder(place.page().key(place.node())), StandardCharsets.UTF_8));
            }
            return new ArrayList<>(folders);
        }
    }
}
