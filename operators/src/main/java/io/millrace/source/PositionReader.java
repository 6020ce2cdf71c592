package io.millrace.source;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.lifecycle.Handles;
import io.millrace.metrics.CodeProfile;
import io.millrace.order.BatchPlan;
import io.millrace.order.Order;
import io.millrace.order.Sources;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleRows;
import io.millrace.sample.Split;
import io.millrace.sample.StoredRows;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the samples of a run by their positions. It owns the datasets. Several threads may call {@link #read} at
 * once; call {@link #close} only when no thread reads any more.
 */
public final class PositionReader implements Closeable {
    /** The name of this stage in metrics and in the quarantine file. */
    static final String STAGE = "read";

    /** Opens a reader within the task that uses it. */
    @FunctionalInterface
    interface Opening {
        PositionReader open() throws IOException;
    }

    /** Opens a dataset, either for this reader alone or shared by all readers of a run. */
    @FunctionalInterface
    interface Access {
        Dataset open(DatasetSpec spec) throws IOException;
    }

    private final BatchPlan plan;
    private final Order order;
    private final Sources sources;
    private final List<NamedDataset> train;
    private final @Nullable NamedDataset evaluation;

    /** The time that was spent on reading samples of each training dataset. */
    private final AtomicLongArray spentNanos;

    /**
     * Takes ownership of the datasets, unless it throws.
     *
     * @param train the training datasets, in the order of {@code sources}
     * @param evaluation the evaluation dataset, read in storage order; null when the plan has no evaluation
     * @throws DatasetException when a dataset does not have as many samples as the plan
     */
    PositionReader(
            BatchPlan plan, Order order, Sources sources, List<NamedDataset> train, @Nullable NamedDataset evaluation)
            throws DatasetException {
        for (int source = 0; source < train.size(); source++) {
            train.get(source).checkSize(sources.get(source).size());
        }
        if (evaluation != null) {
            evaluation.checkSize(plan.evaluationSize());
        }
        this.plan = plan;
        this.order = order;
        this.sources = sources;
        this.train = List.copyOf(train);
        this.spentNanos = new AtomicLongArray(train.size());
        this.evaluation = evaluation;
    }

    /**
     * Opens the datasets.
     *
     * @throws DatasetException when a dataset cannot be opened, or does not have as many samples as the plan
     */
    public static PositionReader open(RunData data) throws IOException {
        return open(data, DatasetSpec::open);
    }

    /**
     * Opens datasets that all readers of the run in this process share.
     *
     * @param run the key of the run in this process
     */
    static PositionReader openShared(String run, RunData data) throws IOException {
        return open(data, spec -> SharedDatasets.ofThisProcess().open(run, spec));
    }

    private static PositionReader open(RunData data, Access access) throws IOException {
        List<NamedDataset> opened = new ArrayList<>();
        try {
            for (int source = 0; source < data.train().size(); source++) {
                int number = source;
                opened.add(NamedDataset.open(
                        data.train().get(source), data.types().train(source), access, documents -> data.sequences()
                                .train(number, documents)));
            }
            DatasetSpec evaluation = data.evaluation();
            NamedDataset evaluated = evaluation == null
                    ? null
                    : NamedDataset.open(evaluation, data.types().evaluation(), access, data.sequences()::evaluation);
            List<NamedDataset> train = List.copyOf(opened);
            if (evaluated != null) {
                opened.add(evaluated);
            }
            return new PositionReader(data.plan(), data.order(), data.sources(), train, evaluated);
        } catch (IOException | RuntimeException e) {
            opened.forEach(dataset -> dataset.closeAfter(e));
            throw e;
        }
    }

    /** Returns whether all samples are in memory, so that no read needs I/O. */
    boolean resident() {
        return train.stream().allMatch(source -> source.dataset().resident())
                && (evaluation == null || evaluation.dataset().resident());
    }

    /**
     * Returns a dataset of a split that the run has. This reader closes it.
     *
     * @param source the number of the training dataset; the evaluation has one
     */
    public Dataset dataset(Split split, int source) {
        return (split == Split.TRAIN ? train.get(source) : Objects.requireNonNull(evaluation)).dataset();
    }

    /** Reads the sample at a position, as {@link PositionSequence#read} does. */
    public Sample read(long position) throws IOException {
        return sequence(position, position + 1).read(position);
    }

    /** Begins the reading of the samples from a position to another one, which is excluded. One thread uses the sequence. */
    PositionSequence sequence(long from, long to) {
        return new PositionSequence(this, from, to);
    }

    BatchPlan plan() {
        return plan;
    }

    Order order() {
        return order;
    }

    Sources sources() {
        return sources;
    }

    /** Returns the dataset of a sample at a position. */
    NamedDataset source(Split split, int source, long position) {
        return split == Split.TRAIN ? train.get(source) : requireEvaluation(position);
    }

    /** Returns the number of positions from one on that follow one another in an epoch and a split. */
    long left(BatchPlan.Place place) {
        return (place.split() == Split.TRAIN ? plan.trainSamples() : plan.evaluationSize()) - place.i();
    }

    /** Returns whether the run has several training datasets. */
    boolean isMixture() {
        return train.size() > 1;
    }

    /** Adds the time that was spent on reading samples of a training dataset. Any thread may call it. */
    void spent(int source, long nanos) {
        spentNanos.addAndGet(source, nanos);
    }

    /** Returns what the readings of a dataset wait for, as a clause for the user; null when none waits. Any thread may call it. */
    @Nullable
    String awaits() {
        return train.stream()
                .map(source -> source.dataset().awaits())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the times of the datasets of a mixture, or the profile of the user's code that the only dataset calls; null when it calls
     * none. Any thread may call it.
     */
    @Nullable
    CodeProfile code() {
        if (!isMixture()) {
            return train.get(0).dataset().code();
        }
        Map<String, Long> millis = new LinkedHashMap<>();
        for (int source = 0; source < train.size(); source++) {
            millis.put(sources.get(source).name(), TimeUnit.NANOSECONDS.toMillis(spentNanos.get(source)));
        }
        return CodeProfile.ofDatasets(millis);
    }

    /**
     * Returns samples where the dataset stores them, from a position on to at most the end of its epoch. Their values are in
     * memory.
     *
     * @param most the largest number of samples, at least 1
     * @return null when the samples must be read one by one, because they are of several datasets, their dataset has no
     *     short rows, one of them is bad, or the order does not know one of them yet
     * @throws IOException when reading itself fails; the message contains dataset, index and position
     */
    @Nullable
    SampleRows rows(long from, int most) throws IOException {
        BatchPlan.Place place = plan.place(from);
        boolean training = place.split() == Split.TRAIN;
        if (training && train.size() > 1) {
            return null;
        }
        NamedDataset source = source(place.split(), 0, from);
        StoredRows stored = source.shortRows();
        int count = (int) Math.min(most, left(place));
        if (stored == null) {
            return null;
        }
        long[] indexes = new long[count];
        long[] labels = new long[count];
        for (int i = 0; i < count; i++) {
            if (training && !order.await(place.epoch(), place.i() + i, 0)) {
                return null;
            }
            indexes[i] = training ? order.at(place.epoch(), place.i() + i).index() : place.i() + i;
        }
        for (int i = 0; i < count; i++) {
            try {
                labels[i] = source.dataset().label(indexes[i]);
            } catch (BadSampleException e) {
                return null;
            } catch (IOException e) {
                throw unreadable(source, indexes[i], from + i, e);
            }
            indexes[i] = source.dataset().indexInWhole(indexes[i]);
        }
        SampleRows rows = new SampleRows(stored, from, indexes, labels);
        if (!source.dataset().resident()) {
            rows.load();
        }
        return rows;
    }

    private NamedDataset requireEvaluation(long position) {
        if (evaluation == null) {
            throw new IllegalStateException(
                    "position " + position + " belongs to the evaluation, which has no dataset");
        }
        return evaluation;
    }

    static IOException unreadable(NamedDataset source, long index, long position, IOException e) {
        return new IOException(
                "dataset " + source.path() + ": cannot read sample " + index + " (position " + position
                        + " of the run): " + (e instanceof DatasetException ? e.getMessage() : e),
                e);
    }

    @Override
    public void close() throws IOException {
        List<Dataset> all = new ArrayList<>();
        train.forEach(source -> all.add(source.dataset()));
        if (evaluation != null) {
            all.add(evaluation.dataset());
        }
        Handles.closeAll(all);
    }
}
