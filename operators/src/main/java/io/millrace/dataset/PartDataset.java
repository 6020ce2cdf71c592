package io.millrace.dataset;

import io.millrace.lifecycle.Handles;
import io.millrace.option.Services;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A part of a dataset, in the order of the dataset. Its samples keep the indexes that they have in the whole dataset, so that their
 * random changes are the same as without parts, and so that reports name them by these indexes.
 */
final class PartDataset extends ForwardingDataset {
    /** The name with its kind, such as {@code part 'train'}. */
    private final String name;

    private final SampleSet samples;

    private PartDataset(Dataset dataset, String name, SampleSet samples) {
        super(dataset);
        this.name = name;
        this.samples = samples;
    }

    /**
     * Takes ownership of a dataset, also when it fails, and returns a part of it.
     *
     * @param path the dataset's name for messages
     * @throws DatasetException when the part is empty, or the dataset cannot be divided in this way
     */
    static Dataset of(String path, Dataset dataset, PartSpec part) throws IOException {
        try {
            SampleSet samples = new PartDivision(path, dataset, part).samples();
            if (samples.size() == 0) {
                throw new DatasetException(String.format(
                        Locale.ROOT,
                        "dataset %s: the part '%s' has none of the %,d samples: expected at least one; set a larger fraction"
                                + " in parts%s",
                        path,
                        part.name(),
                        dataset.size(),
                        part.group() == null ? "" : ", or divide the samples into more groups"));
            }
            return new PartDataset(dataset, "part '" + part.name() + "'", samples);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            Handles.closeAfter(e, dataset);
            throw e;
        }
    }

    /**
     * Takes ownership of a dataset, also when it fails, and returns the samples of it that a file names, in the order of the dataset.
     *
     * @param path the dataset's name for messages
     * @throws DatasetException when the file is missing, or names anything but different samples of the dataset
     */
    static Dataset named(String path, Dataset dataset, String file, StorageOptions storage) throws IOException {
        try {
            SubsetReader reader = Services.of(SubsetReader.class)
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no reader of subsets is on the class path"));
            long[] words = new long[Math.toIntExact((dataset.size() + Long.SIZE - 1) / Long.SIZE)];
            for (long index : reader.read(file, path, dataset, storage)) {
                words[(int) (index / Long.SIZE)] |= 1L << index;
            }
            return new PartDataset(dataset, "subset " + file, new SampleSet(words));
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            Handles.closeAfter(e, dataset);
            throw e;
        }
    }

    @Override
    public long size() {
        return samples.size();
    }

    @Override
    public long indexInWhole(long index) {
        return super.indexInWhole(samples.index(index));
    }

    @Override
    public Sample read(long index) throws IOException {
        return super.read(samples.index(index));
    }

    @Override
    public Reading reading(SampleRandom random, int epoch, int count, IntToLongFunction indexes) {
        return super.reading(random, epoch, count, i -> samples.index(indexes.applyAsLong(i)));
    }

    @Override
    public long label(long index) throws IOException {
        return super.label(samples.index(index));
    }

    @Override
    public long[] shownClasses(long index) throws IOException {
        return super.shownClasses(samples.index(index));
    }

    @Override
    public @Nullable String nameOf(long index) throws IOException {
        return super.nameOf(samples.index(index));
    }

    @Override
    public Dataset only(String field) {
        return new PartDataset(super.only(field), name, samples);
    }

    /** Returns no size: that of the part is not known without reading it. */
    @Override
    public OptionalLong storedBytes() {
        return OptionalLong.empty();
    }

    @Override
    public List<String> remarks() {
        String share = String.format(
                Locale.ROOT,
                "the %s has %,d of %,d samples",
                name,
                size(),
                dataset().size());
        return Stream.concat(super.remarks().stream(), Stream.of(share)).toList();
    }

    @Override
    public Optional<Dataset> undeclared() throws IOException {
        return super.undeclared().map(view -> new PartDataset(view, name, samples));
    }
}
