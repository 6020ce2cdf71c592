package io.millrace.dataset.columns;

import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.InParallel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;

/** Opens the files of a dataset as tables. */
public final class Tables {
    private Tables() {}

    /** Opens and looks through all of them, several at a time; when one fails, all are closed. */
    public static <T extends Table> List<T> open(List<DataFile> files, InParallel.Step<DataFile, T> open)
            throws IOException {
        List<T> opened = Collections.synchronizedList(new ArrayList<>());
        try {
            return InParallel.map(files, file -> {
                T table = open.apply(file);
                opened.add(table);
                return table;
            });
        } catch (IOException | RuntimeException e) {
            TableDataset.closeAll(List.copyOf(opened), e);
            throw e;
        }
    }

    /** The length of all files together. */
    public static OptionalLong bytes(List<DataFile> files) throws IOException {
        long bytes = 0;
        for (DataFile file : files) {
            bytes += file.state().size();
        }
        return OptionalLong.of(bytes);
    }
}
