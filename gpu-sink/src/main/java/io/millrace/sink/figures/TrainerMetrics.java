package io.millrace.sink.figures;

import io.millrace.device.DeviceUse;
import io.millrace.device.DeviceWatch;
import io.millrace.device.PinnedSlab;
import io.millrace.metrics.CoreWait;
import io.millrace.metrics.Figure;
import io.millrace.metrics.FigureGroup;
import io.millrace.metrics.Figures;
import io.millrace.metrics.NanosHistogram;
import io.millrace.order.SourceShares;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.scope.ScopeFormat;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of the stage {@code train}. The trainer's thread writes a field, unless the field's comment names the
 * task's thread. Each field is volatile because Flink's reporters read it on their own threads.
 */
public final class TrainerMetrics {
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * The figures of the trainer's work, which are published together.
     *
     * @param counters the counters
     * @param copyWaitNanos the time for which a device that works asynchronously waited for copies of training batches
     * @param refillNanos the time, in this attempt, of refills after checkpoints
     * @param clockNanos the time up to which the counters reach, as {@link System#nanoTime} counts; NaN before the first
     *     batch is done
     */
    record Work(TrainerCounters counters, long copyWaitNanos, long refillNanos, double clockNanos) {}

    volatile Work work = new Work(TrainerCounters.NONE, 0, 0, Double.NaN);

    /** Whether the trainer has begun, or restored its state. Written after {@link #work}. */
    volatile boolean begun;
    /** Flink's id of the job; empty before the metrics are registered. */
    volatile String job = "";

    /** The latest records of epochs, see {@link EpochRecord#METRIC}. */
    volatile String epochs = EpochRecord.text(List.of());

    volatile int epoch;
    volatile double loss = Double.NaN;
    volatile double accuracy = Double.NaN;

    /** The wait of the trainer's thread for a core in this attempt; null until the thread has begun. */
    volatile @Nullable CoreWait coreWait;

    /** The time of each training step as a whole. */
    final NanosHistogram stepTimeNanos = new NanosHistogram();

    /** The wait for the batch of each training step except the first. */
    final NanosHistogram waitTimeNanos = new NanosHistogram();

    /** The counters of the task. The task's thread writes this field and all fields below. */
    public volatile TaskCounters task = TaskCounters.NONE;

    public volatile long ringWaitNanos;
    public volatile long checkpointWriteNanos;
    public volatile long waitingRows;
    public volatile long parkedRows;
    public volatile long parkedBytes;
    public volatile long mostWaitingRows;
    public volatile long mostParkedBytes;

    /** The name of the metric groups of the datasets of a mixture. */
    private static final String SOURCE = "source";

    /**
     * Registers the trainer's own figures, and the figures of every stage.
     *
     * @param shares the parts of the run that the datasets of a mixture have; each dataset has a group with three metrics, whose
     *     names are no figures of the trainer: its samples, its share and its epoch
     */
    public void register(MetricGroup operatorGroup, SourceShares shares) {
        register(operatorGroup);
        if (shares.isMixture()) {
            MetricGroup group = operatorGroup.addGroup(Figure.GROUP);
            for (int source = 0; source < shares.sources().count(); source++) {
                MetricGroup own =
                        group.addGroup(SOURCE, shares.sources().get(source).name());
                int number = source;
                own.gauge("source_samples", () -> latest(shares, number, SourceShares.Share::samples));
                own.gauge("source_share", () -> latest(shares, number, SourceShares.Share::share));
                own.gauge("source_epoch", () -> latest(shares, number, SourceShares.Share::epoch));
            }
        }
    }

    /** The shares before a step. */
    private record StepShares(long steps, List<SourceShares.Share> shares) {}

    /** The shares that were read last. A report reads three values of each dataset, and the shares of all cost one computation. */
    private volatile StepShares latestShares = new StepShares(0, List.of());

    /** Returns a value of a dataset; NaN before the first step. */
    private double latest(SourceShares shares, int source, ToDoubleFunction<SourceShares.Share> value) {
        long steps = work.counters.steps();
        if (!begun || steps == 0) {
            return Double.NaN;
        }
        StepShares known = latestShares;
        if (known.steps != steps) {
            known = new StepShares(steps, shares.before(steps));
            latestShares = known;
        }
        return value.applyAsDouble(known.shares.get(source));
    }

    private void register(MetricGroup operatorGroup) {
        job = operatorGroup.getAllVariables().getOrDefault(ScopeFormat.SCOPE_JOB_ID, "");
        FigureGroup figures = new FigureGroup(operatorGroup);
        figures.addText(EpochRecord.METRIC, () -> epochs);
        figures.add(Figures.CLOCK_NANOS, () -> work.clockNanos);
        figures.add(Figures.STEPS, () -> known(() -> work.counters.steps()));
        figures.add(Figures.SAMPLES, () -> known(() -> work.counters.samples()));
        figures.add(Figures.EPOCH, () -> known(() -> epoch));
        figures.add(Figures.LOSS, () -> loss);
        figures.add(Figures.ACCURACY, () -> accuracy);
        figures.add(Figures.STARVED_NANOS, () -> work.counters.times().starvedNanos());
        figures.add(Figures.TRANSFER_NANOS, () -> work.counters.times().transferNanos());
        figures.add(Figures.STEP_NANOS, () -> work.counters.times().stepNanos());
        figures.add(Figures.COPY_WAIT_NANOS, () -> work.copyWaitNanos);
        figures.add(Figures.EVALUATION_NANOS, () -> work.counters.times().evaluationNanos());
        figures.add(Figures.STEP_TIME_NANOS, stepTimeNanos);
        figures.add(Figures.WAIT_TIME_NANOS, waitTimeNanos);
        figures.add(Figures.ASSEMBLE_NANOS, () -> task.assembleNanos());
        figures.add(Figures.SLOT_WAIT_NANOS, () -> ringWaitNanos);
        figures.add(Figures.WAITING_ROWS, () -> waitingRows);
        figures.add(Figures.PARKED_ROWS, () -> parkedRows);
        figures.add(Figures.PARKED_BYTES, () -> parkedBytes);
        figures.add(Figures.MOST_WAITING_ROWS, () -> mostWaitingRows);
        figures.add(Figures.MOST_PARKED_BYTES, () -> mostParkedBytes);
        figures.add(Figures.RESTARTS, () -> task.restarts());
        figures.add(Figures.CHECKPOINTS, () -> task.checkpoints().count());
        figures.add(Figures.CHECKPOINT_BYTES, () -> task.checkpoints().bytes());
        figures.add(Figures.CHECKPOINT_DRAIN_NANOS, () -> task.checkpoints().drainNanos());
        figures.add(Figures.CHECKPOINT_COPY_NANOS, () -> task.checkpoints().copyNanos());
        figures.add(Figures.CHECKPOINT_REFILL_NANOS, () -> work.refillNanos);
        figures.add(Figures.CHECKPOINT_WRITE_NANOS, () -> checkpointWriteNanos);

        figures.add(Figures.RECORDS, () -> work.counters.samples());
        figures.add(Figures.OWN_NANOS, () -> work.counters.times().stepNanos());
        figures.add(Figures.CPU_NANOS, () -> work.counters.times().cpuNanos());
        figures.add(Figures.WAIT_IN_NANOS, () -> work.counters.times().starvedNanos());
        figures.add(Figures.BYTES_PRODUCED, () -> work.counters.wireBytes());
        figures.add(Figures.FAILURES, () -> task.quarantinedRows());
        figures.add(Figures.CORE_WAIT_NANOS, this::coreWaitNanos);
        figures.add(Figures.RECORDS_PER_OWN_SECOND, this::recordsPerOwnSecond);
    }

    /** Registers the use of a device. An unknown value is NaN. The figures stay readable after the device is closed. */
    public static void register(MetricGroup operatorGroup, DeviceUse use, DeviceWatch watch) {
        FigureGroup figures = new FigureGroup(operatorGroup);
        figures.add(
                Figures.TRANSFER_GIGABYTES_PER_SECOND,
                () -> ratio(use.latest().copiedBytes(), use.latest().copyNanos()));
        figures.add(
                Figures.COPY_OVERLAP,
                () -> ratio(use.latest().hiddenNanos(), use.latest().copyNanos()));
        figures.add(Figures.ENGINE_NANOS, () -> use.latest().engineNanos());
        figures.add(Figures.DEVICE_MEMORY_BYTES, () -> number(watch.seen().memoryUsedBytes()));
        figures.add(Figures.DEVICE_MEMORY_TOTAL_BYTES, () -> number(watch.seen().memoryTotalBytes()));
        figures.add(Figures.GPU_UTILIZATION, () -> number(watch.seen().utilization()));
        figures.add(Figures.GPU_WATTS, () -> number(watch.seen().watts()));
    }

    /** Returns a count, or NaN before the trainer has begun: a count of 0 would look like a run that begins anew. */
    private double known(LongSupplier count) {
        return begun ? count.getAsLong() : Double.NaN;
    }

    private static double ratio(long value, long of) {
        return of == 0 ? Double.NaN : (double) value / of;
    }

    private static double number(@Nullable Number value) {
        return value == null ? Double.NaN : value.doubleValue();
    }

    /** Registers the page-locked memory that micro-batches use, and the number of buffers that found none. */
    public static void register(MetricGroup operatorGroup, PinnedSlab slab) {
        FigureGroup figures = new FigureGroup(operatorGroup);
        figures.add(Figures.PINNED_BYTES, () -> slab.use().takenBytes());
        figures.add(Figures.PAGEABLE_BUFFERS, () -> slab.use().pageableBuffers());
    }

    /** Returns NaN when the wait is not known. */
    private double coreWaitNanos() {
        CoreWait wait = coreWait;
        OptionalLong nanos = wait == null ? OptionalLong.empty() : wait.nanos();
        return nanos.isPresent() ? nanos.getAsLong() : Double.NaN;
    }

    private double recordsPerOwnSecond() {
        TrainerCounters now = work.counters;
        long nanos = now.times().stepNanos();
        return now.samples() == 0 || nanos == 0 ? Double.NaN : now.samples() * NANOS_PER_SECOND / nanos;
    }
}
