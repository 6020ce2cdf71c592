package io.millrace.source;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.MalformedSampleException;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.sample.Failure;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the sample that stands at a position of the run. Owns the datasets. {@link #read} may be called from several
 * threads at once; {@link #close} only when none reads any more.
 */
final class PositionReader implements Closeable {
    /** The stage's name in metrics and quarantine. */
    static final String STAGE = "read";

    /** Opens a reader within the task that uses it. */
    @FunctionalInterface
    interface Opening {
        PositionReader open() throws IOException;
    }

    private record Part(String path, Dataset dataset) {}

    private final BatchPlan plan;
    private final EpochOrder trainOrder;
    private final Part train;
    private final @Nullable Part evaluation;

    private PositionReader(BatchPlan plan, EpochOrder trainOrder, Part train, @Nullable Part evaluation) {
        this.plan = plan;
        this.trainOrder = trainOrder;
        this.train = train;
        this.evaluation = evaluation;
    }

    /**
     * Opens the datasets.
     *
     * @param evaluation read in storage order; null when the plan has no evaluation
     * @throws DatasetException when a dataset does not have as many samples as the plan says
     */
    static PositionReader open(
            DatasetSpec train, @Nullable DatasetSpec evaluation, BatchPlan plan, EpochOrder trainOrder)
            throws IOException {
        Part first = openPart(train, plan.size());
        if (evaluation == null) {
            return new PositionReader(plan, trainOrder, first, null);
        }
        try {
            return new PositionReader(plan, trainOrder, first, openPart(evaluation, plan.evaluationSize()));
        } catch (IOException | RuntimeException e) {
            closeAfter(e, first.dataset());
            throw e;
        }
    }

    private static Part openPart(DatasetSpec spec, long plannedSize) throws IOException {
        Dataset dataset = spec.open();
        if (dataset.size() != plannedSize) {
            DatasetException changed = new DatasetException("dataset " + spec.path() + " has " + dataset.size()
                    + " samples, but had " + plannedSize
                    + " when the run was planned: it has changed, or this machine sees another copy of it");
            closeAfter(changed, dataset);
            throw changed;
        }
        return new Part(spec.path(), dataset);
    }

    private static void closeAfter(Exception failure, Closeable resource) {
        try {
            resource.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Whether no read costs I/O. */
    boolean resident() {
        return train.dataset().resident()
                && (evaluation == null || evaluation.dataset().resident());
    }

    /**
     * The sample at a position, placed there; quarantined when it is malformed, so that its row is accounted for. A
     * malformed sample has its file as key and -1 as label.
     *
     * @throws IOException when reading as such fails, naming dataset, index and position
     */
    Sample read(long position) throws IOException {
        BatchPlan.Place place = plan.place(position);
        Part part = place.split() == Split.TRAIN ? train : evaluation;
        if (part == null) {
            throw new IllegalStateException("position " + position + " is of the evaluation, which has no dataset");
        }
        long index = place.split() == Split.TRAIN ? trainOrder.index(place.epoch(), place.i()) : place.i();
        return read(part, index, position).placeAt(position, place.epoch(), place.split());
    }

    private static Sample read(Part part, long index, long position) throws IOException {
        try {
            return part.dataset().read(index);
        } catch (MalformedSampleException e) {
            Sample bad = new Sample(index, e.file(), -1);
            bad.quarantine(new Failure(STAGE, part.path(), e.file(), e.offset(), e.reason()));
            return bad;
        } catch (IOException e) {
            throw new IOException(
                    "dataset " + part.path() + ": cannot read sample " + index + " (position " + position
                            + " of the run): " + e,
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
