package io.millrace.source;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.types.SettledTypes;
import io.millrace.metrics.CodeProfile;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.SampleRandom;
import io.millrace.sample.BadSample;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleRows;
import io.millrace.sample.Split;
import io.millrace.sample.StoredRows;
import java.io.Closeable;
import java.io.IOException;
import java.util.Objects;
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
     * @param types the settled types of the datasets' fields
     * @throws DatasetException when a dataset cannot be opened, or does not have as many samples as the plan
     */
    public static PositionReader open(
            DatasetSpec train,
            @Nullable DatasetSpec evaluation,
            BatchPlan plan,
            EpochOrder trainOrder,
            SettledTypes types)
            throws IOException {
        return open(train, evaluation, plan, trainOrder, types, DatasetSpec::open);
    }

    /**
     * Opens datasets that all readers of the run in this process share.
     *
     * @param run the key of the run in this process
     */
    static PositionReader openShared(
            String run,
            DatasetSpec train,
            @Nullable DatasetSpec evaluation,
            BatchPlan plan,
            EpochOrder trainOrder,
            SettledTypes types)
            throws IOException {
        return open(train, evaluation, plan, trainOrder, types, spec -> SharedDatasets.ofThisProcess()
                .open(run, spec));
    }

    private static PositionReader open(
            DatasetSpec train,
            @Nullable DatasetSpec evaluation,
            BatchPlan plan,
            EpochOrder trainOrder,
            SettledTypes types,
            Access access)
            throws IOException {
        NamedDataset first = NamedDataset.open(train, types.train(), access);
        NamedDataset second = null;
        try {
            second = evaluation == null ? null : NamedDataset.open(evaluation, types.evaluation(), access);
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

    /** Returns the dataset of a split that the run has. This reader closes it. */
    public Dataset dataset(Split split) {
        return (split == Split.TRAIN ? train : Objects.requireNonNull(evaluation)).dataset();
    }

    /** Reads the sample at a position, as {@link Sequence#read} does. */
    public Sample read(long position) throws IOException {
        return sequence(position, position + 1).read(position);
    }

    /** Begins the reading of the samples from a position to another one, which is excluded. One thread uses the sequence. */
    Sequence sequence(long from, long to) {
        return new Sequence(from, to);
    }

    /** Returns the profile of the user's code that the training dataset calls; null when it calls none. */
    @Nullable
    CodeProfile code() {
        return train.dataset().code();
    }

    private static final Dataset.Reading NOTHING = i -> {
        throw new IllegalStateException("no reading has begun");
    };

    /** The reading of consecutive positions. A dataset is told which samples will be read, up to the end of an epoch. */
    final class Sequence {
        private final long to;

        /** The first position of the current reading, and the one after its last. */
        private long began;

        private long ends;

        private BatchPlan.@Nullable Place place;
        private Dataset.Reading reading = NOTHING;
        private long remoteCpuNanos;
        private long remoteCoreWaitNanos;
        private long queuedNanos;

        private Sequence(long from, long to) {
            this.began = from;
            this.ends = from;
            this.to = to;
        }

        /**
         * Reads the sample at a position and sets that position. A bad sample is returned as quarantined, so that its row is
         * accounted for; its key is its file and its label is -1.
         *
         * @param position a larger one than in the call before
         * @throws IOException when reading itself fails; the message contains dataset, index and position
         */
        Sample read(long position) throws IOException {
            BatchPlan.Place first = place;
            if (first == null || position >= ends) {
                remoteCpuNanos = remoteCpuNanos();
                remoteCoreWaitNanos = remoteCoreWaitNanos();
                queuedNanos = queuedNanos();
                first = plan.place(position);
                reading = begin(first, position);
                place = first;
            }
            boolean training = first.split() == Split.TRAIN;
            NamedDataset source = training ? train : requireEvaluation(position);
            long i = first.i() + (position - began);
            long index = training ? trainOrder.index(first.epoch(), i) : i;
            return read(source, reading, (int) (position - began), index, position)
                    .placeAt(position, first.epoch(), first.split());
        }

        private Dataset.Reading begin(BatchPlan.Place first, long position) {
            boolean training = first.split() == Split.TRAIN;
            long left = (training ? plan.trainSamples() : plan.evaluationSize()) - first.i();
            int count = (int) Math.min(Integer.MAX_VALUE, Math.min(left, to - position));
            began = position;
            ends = position + count;
            Dataset dataset = (training ? train : requireEvaluation(position)).dataset();
            int stage = training ? SampleRandom.READ : SampleRandom.READ_EVALUATION;
            return dataset.reading(
                    new SampleRandom(trainOrder.seed(), stage),
                    first.epoch(),
                    count,
                    training ? i -> trainOrder.index(first.epoch(), first.i() + i) : i -> first.i() + i);
        }

        private static Sample read(NamedDataset source, Dataset.Reading reading, int i, long index, long position)
                throws IOException {
            try {
                return reading.read(i);
            } catch (BadSampleException e) {
                Sample bad = new Sample(source.dataset().indexInWhole(index), e.file(), -1);
                bad.quarantine(new BadSample(STAGE, source.path(), e.file(), e.offset(), e.reason()));
                return bad;
            } catch (IOException e) {
                throw unreadable(source, index, position, e);
            }
        }

        /** Returns the CPU time that other processes have spent on the samples so far. */
        long remoteCpuNanos() {
            return remoteCpuNanos + reading.remoteCpuNanos();
        }

        /** Returns the time for which other processes were ready to work on the samples so far, and had no core. */
        long remoteCoreWaitNanos() {
            return remoteCoreWaitNanos + reading.remoteCoreWaitNanos();
        }

        /** Returns the time for which the readings have waited so far for something that other readings used. */
        long queuedNanos() {
            return queuedNanos + reading.queuedNanos();
        }

        /** Returns the number of following samples that have been obtained together with the latest one, at its cost. */
        int obtained() {
            return reading.obtained();
        }
    }

    /**
     * Returns samples where the dataset stores them, from a position on to at most the end of its epoch. Their values are in
     * memory.
     *
     * @param most the largest number of samples, at least 1
     * @return null when the samples must be read one by one, because their dataset has no short rows, or because one of them is
     *     bad
     * @throws IOException when reading itself fails; the message contains dataset, index and position
     */
    @Nullable
    SampleRows rows(long from, int most) throws IOException {
        BatchPlan.Place place = plan.place(from);
        boolean training = place.split() == Split.TRAIN;
        NamedDataset source = training ? train : requireEvaluation(from);
        StoredRows stored = source.shortRows();
        if (stored == null) {
            return null;
        }
        long left = (training ? plan.trainSamples() : plan.evaluationSize()) - place.i();
        int count = (int) Math.min(most, left);
        long[] indexes = new long[count];
        long[] labels = new long[count];
        for (int i = 0; i < count; i++) {
            indexes[i] = training ? trainOrder.index(place.epoch(), place.i() + i) : place.i() + i;
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

    private static IOException unreadable(NamedDataset source, long index, long position, IOException e) {
        return new IOException(
                "dataset " + source.path() + ": cannot read sample " + index + " (position " + position
                        + " of the run): " + (e instanceof DatasetException ? e.getMessage() : e),
                e);
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
