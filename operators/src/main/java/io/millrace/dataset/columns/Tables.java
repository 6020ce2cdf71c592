package io.millrace.dataset.columns;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.ParallelTasks;
import io.millrace.dataset.shard.OpenFiles;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.lifecycle.Handles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Functions that open the files of a dataset as tables. */
public final class Tables {
    private Tables() {}

    /**
     * Opens all files, several at a time, and reads their structure. When one file cannot be opened, all tables are
     * closed.
     */
    public static <T extends Table> List<T> open(List<DataFile> files, ParallelTasks.Task<DataFile, T> open)
            throws IOException {
        return openAll(files, open);
    }

    /**
     * Opens files as {@link #open} does, for tables that read at given positions of their file. Only a limited number
     * of the files stays open.
     */
    public static <T extends Table> List<T> openRanged(List<DataFile> files, ParallelTasks.Task<RangedFile, T> open)
            throws IOException {
        OpenFiles shared = new OpenFiles(files);
        return openAll(IntStream.range(0, files.size()).boxed().toList(), number -> open.apply(shared.file(number)));
    }

    private static <F, T extends Table> List<T> openAll(List<F> files, ParallelTasks.Task<F, T> open)
            throws IOException {
        List<T> opened = Collections.synchronizedList(new ArrayList<>());
        try {
            return ParallelTasks.map(files, file -> {
                T table = open.apply(file);
                opened.add(table);
                return table;
            });
        } catch (IOException | RuntimeException e) {
            closeAll(List.copyOf(opened), e);
            throw e;
        }
    }

    /** Closes tables after a failure. */
    static void closeAll(List<? extends Table> tables, Exception failure) {
        for (Table table : tables) {
            Handles.closeAfter(failure, table);
        }
    }

    /**
     * Returns the exception for a name that is no column, whose parts are divided by dots.
     *
     * @param columns the names of the columns that are in no other column
     */
    public static DatasetException noColumn(String file, String name, Stream<String> columns) {
        return new DatasetException(file + " has no column '" + name + "'; it has "
                + columns.collect(Collectors.joining(", "))
                + (name.indexOf('/') < 0
                        ? ""
                        : ". A column within a column is written with a dot: " + name.replace('/', '.')));
    }

    /** Returns the total size of all files in bytes. */
    public static OptionalLong bytes(List<DataFile> files) throws IOException {
        return OptionalLong.of(ParallelTasks.map(files, file -> file.state().size()).stream()
                .mapToLong(Long::longValue)
                .sum());
    }
}
