package io.millrace.dataset.folder;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.RemarkedDataset;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldSources;
import io.millrace.dataset.files.DataFiles;
import io.millrace.dataset.files.SplitNames;
import io.millrace.dataset.storage.Storage;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The dataset format of images in class folders, or of images that a {@code labels.csv} lists. */
public final class FolderFormat implements DatasetFormat {
    /** The option for the folder that holds the class folders or {@code labels.csv}. */
    public static final Option<List<String>> PATH = Option.of(
                    "path",
                    DataFiles.TYPE,
                    "The folder that holds one folder of images per class, or images and labels.csv. A list, a pattern (*, ?,"
                            + " [a-z], **) or {a,b} names several such folders with the same classes.")
            .decides(Identity.NOTHING);

    /** The fields of a folder of sounds, unless the pipeline file names others. */
    static final FieldSelection SOUNDS = new FieldSelection(
            List.of(new FieldSource("audio", FolderDataset.FILE, As.AUTO)),
            Optional.of(new FieldSource(FieldSource.LABEL, FieldSource.LABEL, As.AUTO)),
            false);

    private static final List<FieldSource> DEFAULTS = List.of(
            new FieldSource(Sample.IMAGE, FolderDataset.FILE, As.IMAGE),
            new FieldSource(FieldSource.LABEL, FieldSource.LABEL, As.AUTO));

    @Override
    public String name() {
        return "folder";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of(
                "folder",
                "imagefolder",
                "image_folder",
                "audiofolder",
                "datasetfolder",
                "images",
                "directory",
                "image_directory");
    }

    @Override
    public String help() {
        return "Either images, or WAV files, in one folder per class, at any depth below it; a label is the index of the class in the"
                + " sorted list of class names. Or images and a file labels.csv with the header file,label and one line"
                + " for each image; a label is then a number or the name of a class. fields may name further columns:"
                + " columns of numbers or text, and, with as: image or as: mask, columns of files.";
    }

    @Override
    public boolean filePerSample() {
        return true;
    }

    @Override
    public List<Option<?>> options() {
        return List.of(PATH, CsvLabels.OPTION, FieldSources.FIELDS);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storageOptions) throws IOException {
        FieldSelection fields = FieldSelection.of(options, DEFAULTS);
        requireLabel(fields);
        List<FolderDataset> folders = new ArrayList<>();
        List<Storage> found = DataFiles.folders(options.get(PATH), storageOptions);
        Optional<CsvLabels> labels = options.find(CsvLabels.OPTION);
        if (labels.isPresent() && found.size() > 1) {
            throw new DatasetException("dataset.labels lists the files of one folder, but path names " + found.size()
                    + ": set path to the folder that holds them");
        }
        for (Storage folder : found) {
            folders.add(
                    labels.isPresent()
                            ? ListedFiles.read(folder, labels.get(), storageOptions, columns(fields), fields)
                            : open(folder, fields));
        }
        if (folders.size() == 1) {
            return folders.get(0);
        }
        List<String> names = found.stream()
                .map(folder -> folder.display("").replaceFirst("/+$", ""))
                .toList();
        return RemarkedDataset.of(FolderDatasets.of(folders), SplitNames.remarkOnFolders(options.get(PATH), names));
    }

    /**
     * Refuses a label that is neither the class folder nor the column {@code label}, because any other name would be
     * ignored.
     */
    private static void requireLabel(FieldSelection fields) throws DatasetException {
        String from = fields.label().map(FieldSource::from).orElse(FieldSource.LABEL);
        if (!from.equals(FieldSource.LABEL)) {
            throw new DatasetException(
                    "fields.label: expected label, which stands for the class folder or the column label of "
                            + LabelsFile.NAME + ", found '" + from + "'");
        }
    }

    /** Returns the columns that fields use, apart from the one with the files. */
    private static List<String> columns(FieldSelection fields) {
        return fields.fields().stream()
                .map(FieldSource::from)
                .filter(column -> !column.equals(FolderDataset.FILE))
                .distinct()
                .toList();
    }

    private static FolderDataset open(Storage folder, FieldSelection fields) throws IOException {
        List<String> columns = columns(fields);
        if (LabelsFile.isIn(folder)) {
            return LabelsFile.read(folder, columns, fields);
        }
        if (!columns.isEmpty()) {
            throw new DatasetException(folder.display("") + " has no " + LabelsFile.NAME
                    + ", so fields can name image and label only, found " + String.join(", ", columns));
        }
        return FolderScan.scan(folder, fields);
    }
}
