package io.millrace.source;

import io.millrace.dataset.DatasetSpec;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import io.millrace.trace.Recording;
import java.util.UUID;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.jspecify.annotations.Nullable;

/**
 * The samples of a run as a stream: every position exactly once, at any parallelism and through failures. Positions are
 * emitted in roughly ascending order, within the window of {@link ReadOptions}.
 *
 * <p>Checkpoints may be unaligned, but not from the first ({@code execution.checkpointing.aligned-checkpoint-timeout} over
 * 0): Flink 2.3 lets one that is overtake the ranges that are on their way to a reader. Those are then in nobody's state,
 * and a restart loses their samples.
 *
 * <p>Give it to {@code env.fromSource} with {@code WatermarkStrategy.noWatermarks()}. Bounded unless the plan is endless.
 */
public final class DatasetSource implements Source<Sample, Range, EnumeratorState>, ResultTypeQueryable<Sample> {
    private static final long serialVersionUID = 1;

    /** Of the process that made the job. */
    private final String build = LibraryBuild.current();

    private final DatasetSpec train;
    private final @Nullable DatasetSpec evaluation;
    private final BatchPlan plan;
    private final EpochOrder trainOrder;
    private final ReadOptions options;
    private final RunStart runStart;
    private final @Nullable Recording recording;

    /** A source for a whole run; see the other constructor. */
    public DatasetSource(
            DatasetSpec train,
            @Nullable DatasetSpec evaluation,
            BatchPlan plan,
            EpochOrder trainOrder,
            ReadOptions options) {
        this(train, evaluation, plan, trainOrder, options, RunStart.START, null);
    }

    /** Tells this run from others in the same process, which may see other files under the same path. */
    private final String run = UUID.randomUUID().toString();

    /**
     * A source; the datasets are opened where the tasks are, once a process.
     *
     * @param evaluation in storage order; null exactly when the plan's evaluation size is 0
     * @param runStart the first position, and which checkpoints are taken
     * @param recording in which the readers take part; null: in none
     * @throws IllegalArgumentException when plan, order and datasets do not belong together
     */
    public DatasetSource(
            DatasetSpec train,
            @Nullable DatasetSpec evaluation,
            BatchPlan plan,
            EpochOrder trainOrder,
            ReadOptions options,
            RunStart runStart,
            @Nullable Recording recording) {
        if (trainOrder.size() != plan.size()) {
            throw new IllegalArgumentException(
                    "the order is of " + trainOrder.size() + " samples, the plan of " + plan.size());
        }
        if ((evaluation == null) != (plan.evaluationSize() == 0)) {
            throw new IllegalArgumentException("the plan has " + plan.evaluationSize()
                    + " evaluation samples, but the evaluation dataset is " + evaluation);
        }
        this.train = train;
        this.evaluation = evaluation;
        this.plan = plan;
        this.trainOrder = trainOrder;
        this.options = options;
        this.runStart = runStart;
        this.recording = recording;
    }

    @Override
    public Boundedness getBoundedness() {
        return plan.epochs() == BatchPlan.ENDLESS ? Boundedness.CONTINUOUS_UNBOUNDED : Boundedness.BOUNDED;
    }

    @Override
    public SplitEnumerator<Range, EnumeratorState> createEnumerator(SplitEnumeratorContext<Range> context) {
        return enumerator(context, runStart.initialState());
    }

    @Override
    public SplitEnumerator<Range, EnumeratorState> restoreEnumerator(
            SplitEnumeratorContext<Range> context, EnumeratorState state) {
        runStart.requireSameRun(state.identity());
        return enumerator(context, state);
    }

    private RangeEnumerator enumerator(SplitEnumeratorContext<Range> context, EnumeratorState state) {
        LibraryBuild.require(build);
        return new RangeEnumerator(context, new RangeWindow(plan.positions(), options, state), runStart.identity());
    }

    @Override
    public SourceReader<Sample, Range> createReader(SourceReaderContext context) {
        LibraryBuild.require(build);
        return new RangeReader(
                context, () -> PositionReader.openShared(run, train, evaluation, plan, trainOrder), options, recording);
    }

    @Override
    public SimpleVersionedSerializer<Range> getSplitSerializer() {
        return new RangeSerializer();
    }

    @Override
    public SimpleVersionedSerializer<EnumeratorState> getEnumeratorCheckpointSerializer() {
        return new EnumeratorStateSerializer();
    }

    @Override
    public TypeInformation<Sample> getProducedType() {
        return SampleType.INSTANCE;
    }
}
