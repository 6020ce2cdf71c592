package io.millrace.dataset.folder;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.StorageOptions;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.util.List;

/** Images in class folders, or beside a {@code labels.csv}. */
public final class FolderFormat implements DatasetFormat {
    /** Where the class folders or {@code labels.csv} are. */
    public static final Option<String> PATH = Option.of(
            "path", OptionType.TEXT, "The folder that holds one folder of images per class, or images and labels.csv.");

    @Override
    public String name() {
        return "folder";
    }

    @Override
    public String help() {
        return "Images in one folder per class, at any depth below it; the classes sorted by name are the labels. Or images and"
                + " a labels.csv: lines of file,label below that header, a label being a number or the name of a class.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(PATH);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storageOptions) throws IOException {
        Storage storage = Storage.of(options.get(PATH), storageOptions);
        return LabelsFile.isIn(storage) ? LabelsFile.read(storage) : FolderScan.scan(storage);
    }
}
