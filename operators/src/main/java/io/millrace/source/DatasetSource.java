package io.millrace.source;

import io.millrace.order.BatchPlan;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import io.millrace.sample.Samples;
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
 * The Flink source that emits the samples of a run. It emits every position exactly once, at any parallelism and after
 * any failure. Positions come in roughly ascending order, within the window of {@link ReadOptions}.
 *
 * <p>Checkpoints may become unaligned, but must not start unaligned: set {@code
 * execution.checkpointing.aligned-checkpoint-timeout} to more than 0. In Flink 2.3 a checkpoint that starts unaligned
 * overtakes ranges that have been assigned but have not reached their reader. No state holds those ranges then, and a
 * restart loses their samples.
 *
 * <p>Pass the source to {@code env.fromSource} with {@code WatermarkStrategy.noWatermarks()}. The source is bounded
 * unless the plan is endless.
 *
 * <p>A {@linkplain #served served} source reads from the positions that the sink of the job chooses while the job runs,
 * and has no state in checkpoints.
 */
public final class DatasetSource<T extends Samples>
        implements Source<T, Range, EnumeratorState>, ResultTypeQueryable<T> {
    private static final long serialVersionUID = 1;

    /** The build of the process that made the job. */
    private final String build = LibraryBuild.current();

    private final Class<T> records;
    private final RunData data;
    private final ReadOptions options;
    private final RunStart runStart;
    private final @Nullable Recording recording;

    /** Distinguishes this run from others in the same process, which may find other files under the same path. */
    private final String run;

    /** The name of the run's {@link SeekBoard}, or null when the run reads from its first position to its end. */
    private final @Nullable String board;

    /**
     * Returns a source of single samples. Each process that runs its tasks opens the datasets once.
     *
     * @param runStart the first position, and the treatment of checkpoints of other runs
     * @param recording the recording that the readers take part in, or null for none
     */
    public static DatasetSource<Sample> of(
            RunData data, ReadOptions options, RunStart runStart, @Nullable Recording recording) {
        return new DatasetSource<>(
                Sample.class,
                data,
                options,
                runStart,
                recording,
                UUID.randomUUID().toString(),
                null);
    }

    private DatasetSource(
            Class<T> records,
            RunData data,
            ReadOptions options,
            RunStart runStart,
            @Nullable Recording recording,
            String run,
            @Nullable String board) {
        this.records = records;
        this.data = data;
        this.options = options;
        this.runStart = runStart;
        this.recording = recording;
        this.run = run;
        this.board = board;
    }

    /**
     * Returns the same source for a served run. It reads nothing before a seek on the {@link SeekBoard} of this name,
     * ignores {@link RunStart#position}, and needs a job without checkpoints.
     *
     * @param name a name that no other job of the same JobManager uses at the same time
     */
    public DatasetSource<T> served(String name) {
        return new DatasetSource<>(records, data, options, runStart, recording, run, name);
    }

    /**
     * Returns the same source for an operator that accepts several samples as one record. This operator must be in the chain of
     * the source, because {@link io.millrace.sample.SampleRows} do not leave a task.
     */
    public DatasetSource<Samples> inRows() {
        return new DatasetSource<>(Samples.class, data, options, runStart, recording, run, board);
    }

    @Override
    public Boundedness getBoundedness() {
        return data.plan().epochs() == BatchPlan.ENDLESS ? Boundedness.CONTINUOUS_UNBOUNDED : Boundedness.BOUNDED;
    }

    @Override
    public SplitEnumerator<Range, EnumeratorState> createEnumerator(SplitEnumeratorContext<Range> context) {
        return enumerator(context, runStart.initialState());
    }

    @Override
    public SplitEnumerator<Range, EnumeratorState> restoreEnumerator(
            SplitEnumeratorContext<Range> context, EnumeratorState state) {
        runStart.requireSameRun(state.identity(), data.plan().firstStepFrom(state.next()));
        return enumerator(context, state);
    }

    private SplitEnumerator<Range, EnumeratorState> enumerator(
            SplitEnumeratorContext<Range> context, EnumeratorState state) {
        LibraryBuild.require(build);
        if (board != null) {
            return new ServedEnumerator(context, board, data.plan().positions(), options);
        }
        return new RangeEnumerator(
                context, new RangeWindow(data.plan().positions(), options, state), runStart.identity());
    }

    @Override
    public SourceReader<T, Range> createReader(SourceReaderContext context) {
        LibraryBuild.require(build);
        return new RangeReader<>(records, context, () -> PositionReader.openShared(run, data), options, recording);
    }

    @Override
    public SimpleVersionedSerializer<Range> getSplitSerializer() {
        return new RangeSerializer();
    }

    @Override
    public SimpleVersionedSerializer<EnumeratorState> getEnumeratorCheckpointSerializer() {
        return new EnumeratorStateSerializer();
    }

    /** Returns the type of single samples also for rows, which never reach a serializer. */
    @Override
    @SuppressWarnings("unchecked")
    public TypeInformation<T> getProducedType() {
        return (TypeInformation<T>) SampleType.INSTANCE;
    }
}
