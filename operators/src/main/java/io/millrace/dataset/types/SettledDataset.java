package io.millrace.dataset.types;

import io.millrace.dataset.Dataset;
import io.millrace.metrics.CodeProfile;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/** A dataset whose samples have settled types. A sample of another type is bad. */
public final class SettledDataset implements Dataset {
    private final Dataset dataset;
    private final FieldTypes types;

    private SettledDataset(Dataset dataset, FieldTypes types) {
        this.dataset = dataset;
        this.types = types;
    }

    /** Takes ownership of a dataset and returns it with settled types; the dataset itself when no type has to be settled. */
    public static Dataset of(Dataset dataset, FieldTypes types) {
        return types.byName().isEmpty() ? dataset : new SettledDataset(dataset, types);
    }

    @Override
    public long size() {
        return dataset.size();
    }

    @Override
    public Sample read(long index) throws IOException {
        return types.apply(dataset.read(index));
    }

    @Override
    public Reading reading(SampleRandom random, int epoch, int count, IntToLongFunction indexes) {
        Reading reading = dataset.reading(random, epoch, count, indexes);
        return new Reading() {
            @Override
            public Sample read(int i) throws IOException {
                return types.apply(reading.read(i));
            }

            @Override
            public long remoteCpuNanos() {
                return reading.remoteCpuNanos();
            }
        };
    }

    @Override
    public void readers(int count) throws IOException {
        dataset.readers(count);
    }

    @Override
    public long label(long index) throws IOException {
        return dataset.label(index);
    }

    @Override
    public OptionalLong storedBytes() throws IOException {
        return dataset.storedBytes();
    }

    @Override
    public List<String> classes() {
        return dataset.classes();
    }

    @Override
    public List<String> remarks() {
        return dataset.remarks();
    }

    @Override
    public boolean resident() {
        return dataset.resident();
    }

    @Override
    public Optional<Dataset> undeclared() throws IOException {
        return Optional.empty();
    }

    @Override
    public @Nullable CodeProfile code() {
        return dataset.code();
    }

    @Override
    public void close() throws IOException {
        dataset.close();
    }
}
