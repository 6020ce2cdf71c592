package io.millrace.dataset;

import io.millrace.metrics.CodeProfile;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import io.millrace.sample.StoredRows;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/** A dataset that passes all calls on to another one. Subclasses override what they change. */
public abstract class ForwardingDataset implements Dataset {
    private final Dataset dataset;

    protected ForwardingDataset(Dataset dataset) {
        this.dataset = dataset;
    }

    /** Returns the dataset that gets the calls. */
    protected final Dataset dataset() {
        return dataset;
    }

    @Override
    public long size() {
        return dataset.size();
    }

    @Override
    public Sample read(long index) throws IOException {
        return dataset.read(index);
    }

    @Override
    public Reading reading(SampleRandom random, int epoch, int count, IntToLongFunction indexes) {
        return dataset.reading(random, epoch, count, indexes);
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
    public long[] shownClasses(long index) throws IOException {
        return dataset.shownClasses(index);
    }

    @Override
    public @Nullable String nameOf(long index) throws IOException {
        return dataset.nameOf(index);
    }

    @Override
    public long indexInWhole(long index) {
        return dataset.indexInWhole(index);
    }

    @Override
    public Dataset only(String field) {
        return dataset.only(field);
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
    public @Nullable String classesOfObjects() {
        return dataset.classesOfObjects();
    }

    @Override
    public StoredLabels labels() throws IOException {
        return dataset.labels();
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
    public boolean packed() {
        return dataset.packed();
    }

    @Override
    public Optional<Dataset> undeclared() throws IOException {
        return dataset.undeclared();
    }

    @Override
    public boolean namesUndeclared() {
        return dataset.namesUndeclared();
    }

    @Override
    public Fingerprint fingerprint() throws IOException {
        return dataset.fingerprint();
    }

    @Override
    public @Nullable StoredRows rows() {
        return dataset.rows();
    }

    @Override
    public @Nullable String awaits() {
        return dataset.awaits();
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
