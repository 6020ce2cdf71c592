package io.millrace.dataset.tfrecord;

import io.millrace.dataset.BadSampleException;
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

/** The format of TensorFlow's record files. */
public final class TfRecordFormat implements DatasetFormat {
    private static final List<String> EXTENSIONS = List.of("tfrecord", "tfrecords", "tfrec");

    private static final List<FieldSource> DEFAULTS = List.of(
            new FieldSource(Sample.IMAGE, "image/encoded", As.AUTO),
            new FieldSource(FieldSource.LABEL, "image/class/label", As.AUTO));

    /**
     * The number of samples at the beginning that are examined. A feature that none of them has is probably misspelt.
     */
    private static final int PROBES = 16;

    @Override
    public String name() {
        return "tfrecord";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("tfrecord", "tfds", "tensorflow", "tensorflow_datasets");
    }

    @Override
    public String help() {
        return "TensorFlow's record files of tf.train.Example, uncompressed. By default image is the feature image/encoded and"
                + " label is image/class/label.";
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
        FieldSelection selection = FieldSelection.of(options, DEFAULTS);
        Labels labels = Labels.of(
                options.find(Labels.CLASSES).isPresent()
                        ? options.get(Labels.CLASSES)
                        : PackedClasses.beside(files, storageOptions));
        Shards<RecordIndex> shards =
                Shards.open(files, new RecordIndexer(), IndexCache.of(options.get(IndexCache.FOLDER)));
        TfRecordDataset dataset = new TfRecordDataset(shards, selection, labels);
        try {
            Set<String> names = featureNames(dataset);
            Optional<FieldSource> label = selection.label();
            if (label.isPresent()
                    && !selection.chosen()
                    && !names.isEmpty()
                    && !names.contains(label.get().from())) {
                // Records without labels are used for training without labels. If the pipeline file names the label, an
                // exception reports that the label does not exist.
                label = Optional.empty();
                dataset = new TfRecordDataset(
                        shards, new FieldSelection(selection.fields(), label, selection.chosen()), labels);
            }
            for (FieldSource field : selection.fields()) {
                requireIn(field, names, files);
            }
            if (label.isPresent()) {
                requireIn(label.get(), names, files);
            }
            return RemarkedDataset.of(dataset, SplitNames.remarkOnFiles(options.get(DataFiles.PATH), files));
        } catch (IOException | RuntimeException e) {
            shards.close();
            throw e;
        }
    }

    /** Returns the names of the features of the first samples that can be read; an empty set when none can be read. */
    private static Set<String> featureNames(TfRecordDataset dataset) throws IOException {
        Set<String> names = new TreeSet<>();
        for (long index = 0; index < Math.min(PROBES, dataset.size()); index++) {
            try {
                names.addAll(dataset.featureNames(index));
            } catch (BadSampleException e) {
                // The sample will be quarantined when the run reads it.
            }
        }
        return names;
    }

    private static void requireIn(FieldSource field, Set<String> names, List<DataFile> files) throws DatasetException {
        if (!names.isEmpty() && !names.contains(field.from())) {
            throw new DatasetException("no feature '" + field.from() + "' for the field '" + field.name()
                    + "' in the first records of " + files.get(0).name() + "; found " + String.join(", ", names));
        }
    }
}
