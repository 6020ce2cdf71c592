package io.millrace.python;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.metrics.CodeProfile;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A dataset of the user in Python processes. All of its items have the same fields as its first good one.
 *
 * <p>Each reader adds a number of processes.
 */
final class PythonDataset implements Dataset {
    /** The largest number of items that are tried to find a good one. */
    private static final int PROBES = 1000;

    private final DatasetTask task;
    private final int workersPerReader;
    private final WorkerPool pool;
    private final Labels labels;
    private final long size;
    private final UnpackedModules modules;
    private final ItemSamples samples;

    /** The fields of the first good item; null before it has been read. */
    private @Nullable List<String> fields;

    private long firstGood;

    /** All labels, if the dataset has them without its items; null before they were asked for. */
    private volatile long @Nullable [] known;

    private PythonDataset(
            DatasetTask task,
            int workersPerReader,
            WorkerPool pool,
            Labels labels,
            long size,
            UnpackedModules modules) {
        this.task = task;
        this.workersPerReader = workersPerReader;
        this.pool = pool;
        this.labels = labels;
        this.size = size;
        this.modules = modules;
        this.samples = new ItemSamples(task, labels);
    }

    /**
     * Starts a worker and reads the first good item.
     *
     * @param classes the names of the classes; empty for those of the dataset in Python
     * @param modules the modules of the task, which are closed with the dataset
     * @throws DatasetException with Python's error when there is no such dataset
     */
    static PythonDataset open(DatasetTask task, int workersPerReader, List<String> classes, UnpackedModules modules)
            throws IOException {
        WorkerPool pool = new WorkerPool(task);
        PythonDataset opened = null;
        try {
            DatasetWorker worker = pool.take();
            long size;
            List<String> names;
            try {
                size = worker.size();
                names = classes.isEmpty() ? worker.classes() : classes;
            } catch (PythonException e) {
                pool.discard(worker);
                throw new DatasetException(String.valueOf(e.getMessage()), e);
            }
            pool.giveBack(worker);
            PythonDataset dataset = new PythonDataset(task, workersPerReader, pool, Labels.of(names), size, modules);
            dataset.readFirst();
            opened = dataset;
            return dataset;
        } finally {
            if (opened == null) {
                pool.close();
                modules.close();
            }
        }
    }

    private void readFirst() throws IOException {
        BadSampleException bad = null;
        for (long index = 0; index < Math.min(size, PROBES); index++) {
            try {
                Sample first = read(index);
                firstGood = index;
                List<String> names = new ArrayList<>(first.fieldNames());
                fields = names;
                return;
            } catch (BadSampleException e) {
                bad = e;
            }
        }
        if (bad != null) {
            throw new DatasetException(
                    task.call() + ": none of the first " + Math.min(size, PROBES) + " items is good; the last one, "
                            + bad.file() + ": " + bad.reason(),
                    bad);
        }
    }

    String call() {
        return task.call();
    }

    String key(long index) {
        return samples.place(index).file();
    }

    /** Requires that a worker's dataset has as many items as that of the first worker. */
    void requireSize(DatasetWorker worker) throws DatasetException {
        if (worker.size() != size) {
            throw new DatasetException("len(" + task.call() + ") is " + worker.size() + " in one process, but was "
                    + size + " in another: expected the same number of items in all processes");
        }
    }

    /** Returns the sample of an item. */
    Sample sample(long index, ItemReply reply) throws BadSampleException {
        Sample sample = samples.of(index, reply);
        requireSameFields(sample, samples.place(index));
        return sample;
    }

    private void requireSameFields(Sample sample, ValuePlace place) throws BadSampleException {
        List<String> expected = fields;
        if (expected != null && !expected.equals(sample.fieldNames())) {
            throw place.badSample(
                    "expected the fields " + expected + " as in item " + firstGood + ", found " + sample.fieldNames());
        }
    }

    @Override
    public long size() {
        return size;
    }

    /** Reads an item with the random numbers of epoch 0 and seed 0. */
    @Override
    public Sample read(long index) throws IOException {
        return reading(new SampleRandom(0, SampleRandom.READ), 0, 1, i -> index).read(0);
    }

    @Override
    public Reading reading(SampleRandom random, int epoch, int count, IntToLongFunction indexes) {
        return new PythonReading(this, pool, random, epoch, count, indexes);
    }

    /** Sets the number of readers, each of which has workers. */
    @Override
    public void readers(int count) throws IOException {
        pool.limit(Math.max(1, count) * workersPerReader);
    }

    @Override
    public long label(long index) throws IOException {
        long[] all = known;
        if (all == null) {
            all = task.fields().isPresent() ? new long[0] : knownLabels();
            known = all;
        }
        return all.length == size
                ? labels.of(all[(int) index], samples.place(index))
                : read(index).label();
    }

    private long[] knownLabels() throws IOException {
        DatasetWorker worker = pool.take();
        try {
            long[] found = worker.labels();
            pool.giveBack(worker);
            return found;
        } catch (WorkerLostException | PythonException e) {
            pool.discard(worker);
            throw new DatasetException(task.call() + ".targets cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public CodeProfile code() {
        return pool.code();
    }

    @Override
    public List<String> classes() {
        return labels.classes();
    }

    @Override
    public void close() {
        try {
            pool.close();
        } finally {
            modules.close();
        }
    }
}
