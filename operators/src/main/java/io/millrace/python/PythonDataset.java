package io.millrace.python;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.Fingerprint;
import io.millrace.dataset.fields.Labels;
import io.millrace.metrics.CodeProfile;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A dataset of the user in Python processes. Its samples have the values of the items; {@code dataset.types} settles which of them
 * belong to all samples, and their types.
 *
 * <p>Each reader adds a number of processes.
 */
final class PythonDataset implements Dataset {
    /** Whether the processes that make the dataset are compared. */
    enum Comparison {
        ON,
        OFF
    }

    private final DatasetTask task;
    private final int workersPerReader;
    private final WorkerPool pool;
    private final Labels labels;
    private final long size;
    private final UnpackedModules modules;
    private final ItemSamples samples;

    private final Comparison comparison;

    /** The numbers of the processes whose dataset has been compared. */
    private final Set<Integer> same = ConcurrentHashMap.newKeySet();

    /** Guards {@link #fingerprint}. */
    private final ReentrantLock comparing = new ReentrantLock();

    /**
     * The fingerprint of the first process; null before somebody needed it. Volatile, because readers see it without the lock: a
     * reader has a worker, and the owner of the lock may wait for one.
     */
    private volatile @Nullable Fingerprint fingerprint;

    /** All labels, if the dataset has them without its items; null before they were asked for. */
    private volatile long @Nullable [] known;

    private PythonDataset(
            DatasetTask task,
            int workersPerReader,
            WorkerPool pool,
            Labels labels,
            long size,
            Comparison comparison,
            UnpackedModules modules) {
        this.task = task;
        this.workersPerReader = workersPerReader;
        this.pool = pool;
        this.labels = labels;
        this.size = size;
        this.comparison = comparison;
        this.modules = modules;
        this.samples = new ItemSamples(task, labels);
    }

    /**
     * Starts a worker.
     *
     * @param classes the names of the classes; empty for those of the dataset in Python
     * @param modules the modules of the task, which are closed with the dataset
     * @throws DatasetException with Python's error when there is no such dataset
     */
    static PythonDataset open(
            DatasetTask task,
            int workersPerReader,
            List<String> classes,
            Comparison comparison,
            UnpackedModules modules)
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
            opened = new PythonDataset(task, workersPerReader, pool, Labels.of(names), size, comparison, modules);
            opened.same.add(worker.made());
            return opened;
        } finally {
            if (opened == null) {
                pool.close();
                modules.close();
            }
        }
    }

    String call() {
        return task.call();
    }

    String key(long index) {
        return samples.place(index).file();
    }

    /** Requires that a worker has the same dataset as the first one. Copies of one process have the same. */
    void requireSame(DatasetWorker worker) throws IOException, WorkerLostException {
        if (worker.size() != size) {
            throw new DatasetException("len(" + task.call() + ") is " + worker.size() + " in one process, but was "
                    + size + " in another: expected the same number of items in all processes");
        }
        Fingerprint first = fingerprint;
        if (first != null && same.add(worker.made())) {
            ItemHashes.of(worker, first.hashes().keySet()).requireSame(task.call(), first, "in another process");
        }
    }

    /** Returns the sample of an item. */
    Sample sample(long index, ItemReply reply) throws BadSampleException {
        return samples.of(index, reply);
    }

    @Override
    public long size() {
        return size;
    }

    /** Returns this dataset, because the fields of items are those that they have. */
    @Override
    public Optional<Dataset> undeclared() {
        return Optional.of(this);
    }

    @Override
    public boolean namesUndeclared() {
        return true;
    }

    @Override
    public Fingerprint fingerprint() throws IOException {
        comparing.lock();
        try {
            Fingerprint found = fingerprint;
            if (found == null) {
                found = comparison == Comparison.OFF || size == 0 ? Fingerprint.NONE : readFingerprint();
                fingerprint = found;
            }
            return found;
        } finally {
            comparing.unlock();
        }
    }

    private Fingerprint readFingerprint() throws IOException {
        try {
            return with(worker ->
                    ItemHashes.of(worker, new TreeSet<>(List.of(0L, Math.min(1, size - 1), size / 2, size - 1))));
        } catch (WorkerLostException | PythonException e) {
            return Fingerprint.NONE; // reading finds out which item ends processes
        }
    }

    /**
     * Returns the reply for an item with the random numbers of the comparison.
     *
     * @throws WorkerLostException when the item ended the process, or took too long
     */
    ItemReply compared(long index) throws IOException, WorkerLostException {
        return with(worker -> ItemHashes.read(worker, index));
    }

    private interface Use<T> {
        T of(DatasetWorker worker) throws WorkerLostException;
    }

    /** Uses a worker of the pool, which does not get it back when the use fails. */
    private <T> T with(Use<T> use) throws IOException, WorkerLostException {
        DatasetWorker worker = pool.take();
        try {
            T found = use.of(worker);
            pool.giveBack(worker);
            return found;
        } catch (WorkerLostException | RuntimeException e) {
            pool.discard(worker);
            throw e;
        }
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
