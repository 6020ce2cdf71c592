package io.millrace.dataset.tar;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.RemarkedDataset;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldSources;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.DataFiles;
import io.millrace.dataset.files.SplitNames;
import io.millrace.dataset.shard.IndexCache;
import io.millrace.dataset.shard.PackedClasses;
import io.millrace.dataset.shard.Shards;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The format of WebDataset's archives. */
public final class TarFormat implements DatasetFormat {
    private static final List<String> EXTENSIONS = List.of("tar");

    private static final List<FieldSource> DEFAULTS = List.of(
            new FieldSource(Sample.IMAGE, String.join(";", MemberSource.IMAGES), As.AUTO),
            new FieldSource(FieldSource.LABEL, "cls", As.AUTO));

    /** The largest number of suffixes in a message. More suffixes would not make the problem clearer. */
    private static final int SHOWN_SUFFIXES = 20;

    @Override
    public String name() {
        return "tar";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("tar", "webdataset", "wds", "web_dataset");
    }

    @Override
    public String help() {
        return "WebDataset's archives: consecutive members with the same name up to its first dot are a sample, and the rest"
                + " of the name selects the field. By default image is jpg, jpeg, png, webp, bmp, ppm, pgm, tif, tiff, gif, jfif, jpe,"
                + " apng, pbm, pnm or dib, and label"
                + " is cls.";
    }

    @Override
    public List<String> extensions() {
        return EXTENSIONS;
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DataFiles.PATH, FieldSources.FIELDS, Labels.CLASSES, IndexCache.FOLDER);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storageOptions) throws IOException {
        List<DataFile> files = DataFiles.find(options.get(DataFiles.PATH), EXTENSIONS, storageOptions);
        Labels labels = options.find(Labels.CLASSES).isPresent()
                ? Labels.of(options.get(Labels.CLASSES))
                : Labels.ofNumbers(PackedClasses.beside(files, storageOptions));
        FieldSelection selection = FieldSelection.of(options, DEFAULTS);
        IndexCache cache = IndexCache.of(options.get(IndexCache.FOLDER));
        Shards<TarIndex> shards = Shards.open(files, new TarIndexer(), cache);
        Set<String> suffixes = new TreeSet<>();
        shards.indexes().forEach(index -> suffixes.addAll(index.suffixNames()));
        List<MemberSource> fields =
                selection.fields().stream().map(MemberSource::of).toList();
        Optional<MemberSource> label = selection.label().map(MemberSource::of);
        if (!selection.chosen() && label.isPresent() && !isIn(label.get(), suffixes)) {
            // Archives without labels are used for training without labels. If the pipeline file names the label, an
            // exception reports that the label does not exist.
            label = Optional.empty();
        }
        for (MemberSource field : fields) {
            requireIn(field, suffixes, files);
        }
        if (label.isPresent()) {
            requireIn(label.get(), suffixes, files);
        }
        Dataset dataset = new TarDataset(
                shards,
                new FieldSelection(selection.fields(), label.map(MemberSource::source), selection.chosen()),
                labels);
        return RemarkedDataset.of(dataset, SplitNames.remarkOnFiles(options.get(DataFiles.PATH), files));
    }

    private static boolean isIn(MemberSource field, Set<String> suffixes) {
        return field.suffixes().stream().anyMatch(suffixes::contains);
    }

    private static void requireIn(MemberSource field, Set<String> suffixes, List<DataFile> files)
            throws DatasetException {
        if (!isIn(field, suffixes)) {
            List<String> shown = suffixes.stream().limit(SHOWN_SUFFIXES).toList();
            throw new DatasetException("no member '" + field.source().from() + "' for the field '"
                    + field.source().name() + "' in " + files.get(0).name()
                    + (files.size() > 1 ? " and " + (files.size() - 1) + " more files" : "") + "; found "
                    + String.join(", ", shown) + (suffixes.size() > shown.size() ? " and more" : ""));
        }
    }
}
