package io.millrace.dataset;

import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleUnit;
import java.io.IOException;
import java.io.Serializable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The description of a dataset: the name of a format, its options and the part. It travels to the tasks, which open the dataset.
 *
 * @param format a {@link DatasetFormat#name()}
 * @param options the values for {@link DatasetFormat#options()}
 * @param storage the options for reading files that are not on the task's machine
 * @param part the part of the dataset; null for all samples
 * @param subset the file that names the samples; null for all samples; a dataset has at most one of part and subset
 */
public record DatasetSpec(
        String format,
        OptionValues options,
        StorageOptions storage,
        @Nullable PartSpec part,
        @Nullable String subset) implements Serializable {
    public DatasetSpec {
        if (part != null && subset != null) {
            throw new IllegalArgumentException("expected either a part or a subset of a dataset, found both");
        }
    }

    /** Creates the description of a part of a dataset. */
    public DatasetSpec(String format, OptionValues options, StorageOptions storage, @Nullable PartSpec part) {
        this(format, options, storage, part, null);
    }

    /** Creates the description of a dataset with the default storage options. */
    public DatasetSpec(String format, OptionValues options) {
        this(format, options, StorageOptions.STANDARD);
    }

    /** Creates the description of all samples of a dataset. */
    public DatasetSpec(String format, OptionValues options, StorageOptions storage) {
        this(format, options, storage, null);
    }

    /** Returns the same dataset with other options of its format. */
    public DatasetSpec with(OptionValues others) {
        return new DatasetSpec(format, others, storage, part, subset);
    }

    /** Returns the same dataset with other storage options. */
    public DatasetSpec with(StorageOptions other) {
        return new DatasetSpec(format, options, other, part, subset);
    }

    /** Returns another part of the same dataset, or all of it. */
    public DatasetSpec withPart(@Nullable PartSpec other) {
        return new DatasetSpec(format, options, storage, other);
    }

    /** Returns the samples of the same dataset that a file names, or all of them. */
    public DatasetSpec withSubset(@Nullable String file) {
        return new DatasetSpec(format, options, storage, null, file);
    }

    /** Opens the dataset. The caller closes it. */
    public Dataset open() throws IOException {
        Optional<DatasetFormat> found = find();
        if (found.isEmpty()) {
            throw new DatasetException("no dataset format '" + format + "' on the class path");
        }
        DatasetFormat known = found.get();
        String place = known.place(options);
        PartSpec chosen = part;
        return GuardedDataset.open(place, () -> {
            Dataset whole = known.open(options, storage);
            if (subset != null) {
                return PartDataset.named(place, whole, subset, storage);
            }
            return chosen == null ? whole : PartDataset.of(place, whole, chosen);
        });
    }

    /** Returns whether the dataset is a folder with a file for each sample. */
    public boolean filePerSample() {
        return find().map(DatasetFormat::filePerSample).orElse(false);
    }

    /** Returns the word for the dataset's samples in throughputs. */
    public SampleUnit unit(Sample sample) {
        return SampleUnit.of(sample, find().map(DatasetFormat::storesRows).orElse(false));
    }

    /** Returns whether the format declares boxes or points, see {@link DatasetFormat#annotates}. */
    public boolean annotated() {
        return find().map(format -> format.annotates(options)).orElse(false);
    }

    private Optional<DatasetFormat> find() {
        for (DatasetFormat candidate : Services.of(DatasetFormat.class)) {
            if (candidate.name().equals(format)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    /** Returns the dataset's name for people. */
    public String path() {
        return find().map(found -> found.place(options)).orElse(format);
    }
}
