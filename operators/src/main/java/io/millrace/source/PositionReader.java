package io.millrace.source;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.lifecycle.Handles;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.sample.BadSample;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.io.Closeable;
import java.io.IOException;
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
    private interface Access {
        Dataset open(DatasetSpec spec) throws IOException;
    }

    /**
     * One of the run's two datasets.
     *
     * @param path the dataset's name for messages
     */
    record NamedDataset(String path, Dataset dataset) {
        private static NamedDataset open(DatasetSpec spec, Access access) throws IOException {
            return new NamedDataset(spec.path(), access.open(spec));
        }

        private void checkSize(long planned) throws DatasetException {
            if (dataset.size() != planned) {
                throw new DatasetException("dataset " + path + " has " + dataset.size() + " samples, but had " + planned
                        + " when the run was planned: it has changed, or this machine has another copy of it");
            }
        }

        private void closeAfter(Exception failure) {
            Handles.closeAfter(failure, dataset);
        }
    }

    private final BatchPlan plan;
    private final EpochOrder trainOrder;
    private final NamedDataset train;
    private final @Nullable NamedDataset evaluation;

    /**
     * Takes ownership of the datasets, unless it throws.
     *
     * @param evaluation the evaluation dataset, read in storage order; null when the plan has no evaluation
     * @throws DatasetException when a dataset does not have as many samples as the plan
     */
    PositionReader(BatchPlan plan, EpochOrder trainOrder, NamedDataset train, @Nullable NamedDataset evaluation)
            throws DatasetException {
        train.checkSize(plan.size());
        if (evaluation != null) {
            evaluation.checkSize(plan.evaluationSize());
        }
        this.plan = plan;
        this.trainOrder = trainOrder;
        this.train = train;
        this.evaluation = evaluation;
    }

    /**
     * Opens the datasets.
     *
     * @param evaluation null when the plan has no evaluation
     * @throws DatasetException when a dataset cannot be opened, or does not have as many samples as the plan
     */
    public static PositionReader open(
            DatasetSpec train, @Nullable DatasetSpec evaluation, BatchPlan plan, EpochOrder trainOrder)
            throws IOException {
        return open(train, evaluation, plan, trainOrder, DatasetSpec::open);
    }

    /**
     * Opens datasets that all readers of the run in this process share.
     *
     * @param run the key of the run in this process
     */
    static PositionReader openShared(
            String run, DatasetSpec train, @Nullable DatasetSpec evaluation, BatchPlan plan, EpochOrder trainOrder)
            throws IOException {
        return open(train, evaluation, plan, trainOrder, spec -> SharedDatasets.ofThisProcess()
                .open(run, spec));
    }

    private static PositionReader open(
            DatasetSpec train, @Nullable DatasetSpec evaluation, BatchPlan plan, EpochOrder trainOrder, Access access)
            throws IOException {
        NamedDataset first = NamedDataset.open(train, access);
        NamedDataset second = null;
        try {
            second = evaluation == null ? null : NamedDataset.open(evaluation, access);
            return new PositionReader(plan, trainOrder, first, second);
        } catch (IOException | RuntimeException e) {
            first.closeAfter(e);
            if (second != null) {
                second.closeAfter(e);
            }
            throw e;
        }
    }

    /** Returns whether all samples are in memory, so that no read needs I/O. */
    boolean resident() {
        return train.dataset().resident()
                && (evaluation == null || evaluation.dataset().resident());
    }

    /**
     * Reads the sample at a position and sets that position. A bad sample is returned as quarantined, so that its row
     * is accounted for; its key is its file and its label is -1.
     *
     * @throws IOException when reading itself fails; the message contains dataset, index and position
     */
    public Sample read(long position) throws IOException {
        BatchPlan.Place place = plan.place(position);
        NamedDataset source = place.split() == Split.TRAIN ? train : evaluation;
        if (source == null) {
            throw new IllegalStateException(
                    "position " + position + " belongs to the evaluation, which has no dataset");
        }
        long index = place.split() == Split.TRAIN ? trainOrder.index(place.epoch(), place.i()) : place.i();
        return read(source, index, position).placeAt(position, place.epoch(), place.split());
    }

    private static Sample read(NamedDataset source, long index, long position) throws IOException {
        try {
            return source.dataset().read(index);
        } catch (BadSampleException e) {
            Sample bad = new Sample(index, e.file(), -1);
            bad.quarantine(new BadSample(STAGE, source.path(), e.file(), e.offset(), e.reason()));
            return bad;
        } catch (IOException e) {
            throw new IOException(
                    "dataset " + source.path() + ": cannot read sample " + index + " (position " + position
                            + " of the run): " + (e instanceof DatasetException ? e.getMessage() : e),
                    e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            train.dataset().close();
        } finally {
            if (evaluation != null) {
                evaluation.dataset().close();
            }
        }
    }
}
