package io.millrace.dataset;

import io.millrace.file.HeapLimit;
import io.millrace.order.Permutation;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/**
 * A dataset whose reads report a heap that is too small like any other failure. The memory that they allocated is free again by then,
 * so the program goes on. Such a sample is not quarantined, because the memory that is left depends on what else the process does.
 */
final class GuardedDataset extends ForwardingDataset {
    private final String name;

    private GuardedDataset(String name, Dataset dataset) {
        super(dataset);
        this.name = name;
    }

    /** A function that opens a dataset. */
    @FunctionalInterface
    interface Opening {
        Dataset open() throws IOException;
    }

    /**
     * Opens a dataset.
     *
     * @param name the dataset's name for messages
     */
    static Dataset open(String name, Opening opening) throws IOException {
        Dataset opened;
        try {
            opened = opening.open();
        } catch (BadSampleException e) {
            throw new DatasetException(
                    e.file() + ": " + (e.offset() < 0 ? "" : "at offset " + e.offset() + " ") + e.reason(), e);
        } catch (OutOfMemoryError e) {
            throw new DatasetException("dataset " + name + " cannot be opened: " + HeapLimit.describe(e), e);
        }
        if (opened.size() <= Permutation.MAX_SIZE) {
            return new GuardedDataset(name, opened);
        }
        try (opened) {
            throw new DatasetException("dataset " + name + ": expected at most " + Permutation.MAX_SIZE
                    + " samples, found " + opened.size());
        }
    }

    @Override
    public Sample read(long index) throws IOException {
        try {
            return super.read(index);
        } catch (OutOfMemoryError e) {
            throw exceeded(index, e);
        }
    }

    @Override
    public Optional<Dataset> undeclared() throws IOException {
        try {
            return super.undeclared().map(view -> new GuardedDataset(name, view));
        } catch (OutOfMemoryError e) {
            throw new DatasetException("dataset " + name + " cannot be read: " + HeapLimit.describe(e), e);
        }
    }

    @Override
    public long label(long index) throws IOException {
        try {
            return super.label(index);
        } catch (OutOfMemoryError e) {
            throw exceeded(index, e);
        }
    }

    @Override
    public long[] shownClasses(long index) throws IOException {
        try {
            return super.shownClasses(index);
        } catch (OutOfMemoryError e) {
            throw exceeded(index, e);
        }
    }

    @Override
    public Reading reading(SampleRandom random, int epoch, int count, IntToLongFunction indexes) {
        return new ForwardingReading(super.reading(random, epoch, count, indexes)) {
            @Override
            public Sample read(int i) throws IOException {
                try {
                    return super.read(i);
                } catch (OutOfMemoryError e) {
                    throw exceeded(indexes.applyAsLong(i), e);
                }
            }
        };
    }

    private DatasetException exceeded(long index, OutOfMemoryError cause) {
        return new DatasetException(
                "sample " + index + " of " + name + " cannot be read: " + HeapLimit.describe(cause), cause);
    }
}
