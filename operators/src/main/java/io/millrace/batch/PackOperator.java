package io.millrace.batch;

import io.millrace.metrics.EndedStages;
import io.millrace.metrics.StageMetrics;
import io.millrace.order.RankRows;
import io.millrace.sample.BadSample;
import io.millrace.sample.DatasetNames;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleRows;
import io.millrace.sample.Samples;
import io.millrace.trace.Recording;
import io.millrace.transform.StageChain;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.util.AutoCloseables;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * The Flink operator of the pack stage. It emits a micro-batch when it is full, when its first row has waited for the
 * delay, before a checkpoint barrier, before a watermark and at the end of input. It therefore has no state.
 *
 * <p>When several trainers share each batch, the operator fills one micro-batch per trainer, so that no micro-batch has
 * rows of two trainers.
 *
 * <p>The edge after this operator must be a network edge, that is, not a forward edge, because the emitted micro-batch
 * is closed when the call that emits it returns. A sample with a value that does not fit the wire type of its field is
 * quarantined here. The operator and its timers run in the task's thread alone. The operator lends its next row to the
 * earlier stages of its task.
 *
 * @param <T> the type of the records: {@link Sample}, or {@link Samples} directly behind the source
 */
public final class PackOperator<T extends Samples> extends AbstractStreamOperator<MicroBatch>
        implements OneInputStreamOperator<T, MicroBatch>, BoundedOneInput {
    /** The name of the stage in the graph, the metrics and the reports. */
    public static final String NAME = "pack";

    private static final long serialVersionUID = 1;

    /** The packer of one rank and the time at which it has to emit. */
    private static final class Lane {
        private final Packer packer;
        private long dueMillis;

        private Lane(Packer packer) {
            this.packer = packer;
        }
    }

    /** The resources of an open operator. */
    private record Opened(BufferAllocator allocator, List<Lane> lanes, StageMetrics metrics) implements AutoCloseable {
        @Override
        public void close() {
            // The allocator is last, because it throws when memory is missing.
            List<AutoCloseable> all = new ArrayList<>();
            lanes.forEach(lane -> all.add(lane.packer));
            all.add(metrics);
            all.add(allocator);
            AutoCloseables.closeNoChecked(() -> AutoCloseables.close(all));
        }
    }

    private final BatchSpec spec;
    private final PackLimits limits;
    private final @Nullable RankRows rankRows;
    private Filling filling = Filling.EVERY_ROW;
    private Handing handing = Handing.LEND;
    private @Nullable Recording recording;

    /** The names of the datasets in messages. */
    private DatasetNames datasets = DatasetNames.NONE;

    private transient @Nullable Opened opened;
    private transient @Nullable ScheduledFuture<?> timer;

    /** Creates the operator for one trainer, or for several trainers that all receive every row. */
    public PackOperator(BatchSpec spec, PackLimits limits) {
        this(spec, limits, null);
    }

    private PackOperator(BatchSpec spec, PackLimits limits, @Nullable RankRows rankRows) {
        this.spec = spec;
        this.limits = limits;
        this.rankRows = rankRows;
    }

    /**
     * Returns the operator for trainers that share each batch. {@link RankRouting} routes each rank's micro-batches.
     */
    public static <T extends Samples> PackOperator<T> perRank(BatchSpec spec, PackLimits limits, RankRows rankRows) {
        return new PackOperator<>(spec, limits, rankRows);
    }

    /** Sets the choice of the rows that are copied, before the job begins. Default: every row. */
    public PackOperator<T> filling(Filling other) {
        filling = other;
        return this;
    }

    /** Sets the way to hand on micro-batches, before the job begins. Default: their memory is lent. */
    public PackOperator<T> handing(Handing other) {
        handing = other;
        return this;
    }

    /** Sets the trace recording, before the job begins. Default: null, which records nothing. */
    public PackOperator<T> recorded(@Nullable Recording other) {
        recording = other;
        return this;
    }

    /** Sets the names of the datasets for the descriptions of bad samples, before the job begins. */
    public PackOperator<T> ofDatasets(DatasetNames names) {
        datasets = names;
        return this;
    }

    @Override
    public void open() throws Exception {
        super.open();
        int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        boolean over = handing == Handing.OVER;
        BufferAllocator parent = over ? MicroBatchMemory.arriving() : MicroBatchMemory.allocator();
        BufferAllocator allocator = parent.newChildAllocator(NAME + "-" + subtask, 0, Long.MAX_VALUE);
        // A GPU copies from page-locked memory, into which stored values are copied first.
        boolean refers = filling == Filling.EVERY_ROW && !(over && MicroBatchMemory.hasSource());
        Filling rows = refers ? Filling.NOT_STORED : filling;
        List<Lane> lanes = new ArrayList<>();
        opened = new Opened(allocator, lanes, new StageMetrics(getMetricGroup(), recording));
        EndedStages.join(getMetricGroup());
        for (int lane = 0; lane < (rankRows == null ? 1 : rankRows.ranks()); lane++) {
            lanes.add(new Lane(new Packer(allocator, spec, limits, rows)));
        }
        chain().lend((sample, field, height, width) ->
                lane(sample.position()).packer.nextRow(field, height, width));
    }

    private StageChain chain() {
        return StageChain.of(getContainingTask().getEnvironment());
    }

    @Override
    public void processElement(StreamRecord<T> element) {
        Samples samples = element.getValue();
        if (samples instanceof Sample sample) {
            pack(sample);
        } else if (samples instanceof SampleRows rows) {
            for (int from = 0; from < rows.count(); ) {
                from += pack(rows, from);
            }
        }
    }

    /** Packs rows of one rank until the micro-batch is full, and returns their number. */
    private int pack(SampleRows samples, int from) {
        Lane lane = lane(samples.position(from));
        Packer packer = lane.packer;
        StageMetrics metrics = requireOpen().metrics();
        metrics.received();
        boolean first = packer.isEmpty();
        int count = packer.add(samples, from, sameLane(samples, from, lane));
        metrics.workedOn(count, (long) count * spec.rowBytes());
        if (packer.isFull()) {
            emit(packer);
        } else if (first) {
            awaitOthers(lane);
        }
        metrics.handedOn();
        return count;
    }

    private int sameLane(SampleRows samples, int from, Lane lane) {
        int to = from + 1;
        while (to < samples.count() && lane(samples.position(to)) == lane) {
            to++;
        }
        return to - from;
    }

    private Lane lane(long position) {
        return requireOpen().lanes().get(rankRows == null ? 0 : rankRows.rank(position));
    }

    private void pack(Sample sample) {
        Lane lane = lane(sample.position());
        Packer packer = lane.packer;
        StageMetrics metrics = requireOpen().metrics();
        if (!packer.fits(sample)) {
            flush(packer);
        }
        metrics.received();
        metrics.worked(addOrQuarantine(sample, packer));
        if (packer.isFull()) {
            emit(packer);
        } else if (packer.rows() == 1) {
            awaitOthers(lane);
        }
        metrics.handedOn();
    }

    /**
     * Adds a sample, or its quarantined row when a value does not fit, or its numbers have another type or shape than the batch expects.
     *
     * @return the number of bytes that the row adds to the micro-batch
     */
    private long addOrQuarantine(Sample sample, Packer packer) {
        RuntimeException why;
        try {
            return packer.add(sample);
        } catch (BadValueException e) {
            why = e;
        } catch (SampleMismatchException e) {
            if (!e.isOfNumbers()) {
                throw e;
            }
            why = e;
        }
        sample.quarantine(new BadSample(NAME, datasets.of(sample), sample.key(), -1, String.valueOf(why.getMessage())));
        requireOpen().metrics().failed();
        if (!packer.fits(sample)) {
            flush(packer);
        }
        return packer.add(sample);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) {
        flush();
    }

    /** Emits the rows that arrived before the watermark, so that they stay before it. */
    @Override
    public void processWatermark(Watermark mark) throws Exception {
        flush();
        super.processWatermark(mark);
    }

    @Override
    public void endInput() {
        flush();
    }

    @Override
    public void close() throws Exception {
        chain().lend(null);
        Opened closing = opened;
        opened = null;
        try {
            if (closing != null) {
                try {
                    closing.close();
                } finally {
                    EndedStages.add(getRuntimeContext(), getMetricGroup(), closing.metrics());
                }
            }
        } finally {
            super.close();
        }
    }

    StageMetrics metrics() {
        return requireOpen().metrics();
    }

    private void flush() {
        requireOpen().lanes().forEach(lane -> flush(lane.packer));
    }

    private void flush(Packer packer) {
        if (!packer.isEmpty()) {
            long began = System.nanoTime();
            emit(packer);
            requireOpen().metrics().handedOnBetween(began, began);
        }
    }

    private void emit(Packer packer) {
        if (handing == Handing.OVER) {
            // The next operator runs within this call, so its work is no work of this stage.
            output.collect(new StreamRecord<>(packer.handOver()));
            return;
        }
        try (MicroBatch batch = packer.flush()) {
            requireOpen().metrics().handOn(batch.position(0), () -> output.collect(new StreamRecord<>(batch)));
        }
    }

    /**
     * Sets the timer for the first row of a micro-batch. There is at most one timer, which is moved while rows arrive.
     */
    private void awaitOthers(Lane lane) {
        lane.dueMillis = getProcessingTimeService().getCurrentProcessingTime()
                + limits.delay().toMillis();
        if (timer == null) {
            timer = getProcessingTimeService().registerTimer(lane.dueMillis, this::onTimer);
        }
    }

    private void onTimer(long nowMillis) {
        timer = null;
        long nextMillis = Long.MAX_VALUE;
        for (Lane lane : requireOpen().lanes()) {
            if (lane.packer.isEmpty()) {
                continue;
            }
            if (nowMillis >= lane.dueMillis) {
                flush(lane.packer);
            } else {
                nextMillis = Math.min(nextMillis, lane.dueMillis);
            }
        }
        if (nextMillis < Long.MAX_VALUE) {
            timer = getProcessingTimeService().registerTimer(nextMillis, this::onTimer);
        }
    }

    private Opened requireOpen() {
        if (opened == null) {
            throw new IllegalStateException("the pack operator is not open");
        }
        return opened;
    }
}
