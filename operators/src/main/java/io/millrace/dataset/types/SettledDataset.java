package io.millrace.dataset.types;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.Fingerprint;
import io.millrace.dataset.ForwardingDataset;
import io.millrace.dataset.ForwardingReading;
import io.millrace.dataset.StoredLabels;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import io.millrace.sample.StoredRows;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A dataset whose samples have settled types. A sample of another type is bad. */
public final class SettledDataset extends ForwardingDataset {
    private final FieldTypes types;

    private SettledDataset(Dataset dataset, FieldTypes types) {
        super(dataset);
        this.types = types;
    }

    /** Takes ownership of a dataset and returns it with settled types; the dataset itself when no type has to be settled. */
    public static Dataset of(Dataset dataset, FieldTypes types) {
        return types.byName().isEmpty() ? dataset : new SettledDataset(dataset, types);
    }

    /**
     * Takes ownership of a dataset, unless it throws, and returns it as {@link #of} does.
     *
     * @param name the dataset's name for messages
     * @throws DatasetException when it is not the dataset whose types were settled
     */
    public static Dataset same(String name, Dataset dataset, FieldTypes types) throws IOException {
        if (!types.fingerprint().equals(Fingerprint.NONE)) {
            dataset.fingerprint()
                    .requireSame(
                            name,
                            types.fingerprint(),
                            "in the process that planned the run, or in the run that is continued");
        }
        return of(dataset, types);
    }

    @Override
    public StoredLabels labels() throws IOException {
        return types.names() == Names.SETTLED ? types.labels() : super.labels();
    }

    @Override
    public List<String> remarks() {
        return Stream.concat(super.remarks().stream(), types.remarks().stream()).toList();
    }

    @Override
    public Sample read(long index) throws IOException {
        return types.apply(super.read(index));
    }

    @Override
    public Reading reading(SampleRandom random, int epoch, int count, IntToLongFunction indexes) {
        return new ForwardingReading(super.reading(random, epoch, count, indexes)) {
            @Override
            public Sample read(int i) throws IOException {
                return types.apply(super.read(i));
            }
        };
    }

    @Override
    public Optional<Dataset> undeclared() {
        return Optional.empty();
    }

    /** Returns null: rows as they are stored may have other types. */
    @Override
    public @Nullable StoredRows rows() {
        return null;
    }
}
