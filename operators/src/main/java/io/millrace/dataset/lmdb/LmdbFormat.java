package io.millrace.dataset.lmdb;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.columns.TableDataset;
import io.millrace.dataset.columns.Tables;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldSources;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.DataFiles;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;

/** The format of LMDB databases. */
public final class LmdbFormat implements DatasetFormat {
    private static final List<String> EXTENSIONS = List.of("mdb", "lmdb");

    /** The name of the file in which LMDB lists the readers of the database beside it. */
    private static final String LOCK = "lock.mdb";

    @Override
    public String name() {
        return "lmdb";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("lmdb", "mdb");
    }

    @Override
    public String help() {
        return "LMDB databases in the order of their keys. A value is an image, and its class is the key up to the"
                + " first slash.";
    }

    @Override
    public List<String> extensions() {
        return EXTENSIONS;
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DataFiles.PATH, FieldSources.FIELDS, Labels.CLASSES);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storage) throws IOException {
        FieldSource image = new FieldSource(Sample.IMAGE, LmdbTable.VALUE, As.AUTO);
        FieldSource label = new FieldSource(FieldSource.LABEL, LmdbTable.FOLDER, As.AUTO);
        List<DataFile> files = DataFiles.find(options.get(DataFiles.PATH), EXTENSIONS, storage).stream()
                .filter(file -> !isLock(file))
                .toList();
        if (files.isEmpty()) {
            throw new DatasetException("no database in " + String.join(", ", options.get(DataFiles.PATH))
                    + "; expected data.mdb, found only " + LOCK + ", in which LMDB lists the readers of a database");
        }
        List<LmdbTable> tables = Tables.openRanged(files, file -> LmdbTable.open(file));
        boolean chosen = options.find(FieldSources.FIELDS).isPresent();
        return TableDataset.of(
                tables,
                first -> FieldSelection.of(
                        options, chosen || tables.get(0).hasFolders() ? List.of(image, label) : List.of(image)),
                options,
                Tables.bytes(files));
    }

    private static boolean isLock(DataFile file) {
        return file.name().substring(file.name().lastIndexOf('/') + 1).equals(LOCK);
    }
}
