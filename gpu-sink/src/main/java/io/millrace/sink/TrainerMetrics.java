package io.millrace.sink;

import io.millrace.device.DeviceUse;
import io.millrace.device.DeviceWatch;
import io.millrace.device.PinnedSlab;
import io.millrace.metrics.CoreWait;
import io.millrace.metrics.MetricNames;
import io.millrace.metrics.NanosHistogram;
import java.util.OptionalLong;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * What the trainer shows while it runs. The trainer's thread writes (or the task's where it says so), Flink's
 * reporters read: each field is volatile for that alone.
 */
final class TrainerMetrics {
    private static final double NANOS_PER_SECOND = 1e9;

    volatile double clockNanos = Double.NaN;
    volatile long steps;
    volatile long samples;
    volatile int epoch;
    volatile long starvedNanos;
    volatile long transferNanos;
    volatile long stepNanos;
    volatile long evaluationNanos;
    volatile long cpuNanos;
    volatile long bytes;
    volatile double loss = Double.NaN;
    volatile double accuracy = Double.NaN;

    /** Of this attempt's trainer; null until its thread has begun. */
    volatile @Nullable CoreWait coreWait;

    /** Each training step as a whole, and the wait before each but the first. */
    final NanosHistogram stepTimeNanos = new NanosHistogram();

    final NanosHistogram waitTimeNanos = new NanosHistogram();

    /** These are written by the task's thread. */
    volatile long assembleNanos;

    volatile long slotWaitNanos;
    volatile long waitingRows;
    volatile long parkedRows;
    volatile long parkedBytes;
    volatile long mostWaitingRows;
    volatile long mostParkedBytes;
    volatile long missingRows;
    volatile int restarts;
    volatile SnapshotCost checkpoints = SnapshotCost.NONE;

    /** Registers the trainer's own figures, and under the names of any stage those of the stage "train". */
    void register(MetricGroup operatorGroup) {
        MetricGroup group = operatorGroup.addGroup(MetricNames.GROUP);
        group.gauge(MetricNames.CLOCK_NANOS, (Gauge<Double>) () -> clockNanos);
        group.gauge(MetricNames.STEPS, (Gauge<Long>) () -> steps);
        group.gauge(MetricNames.SAMPLES, (Gauge<Long>) () -> samples);
        group.gauge(MetricNames.EPOCH, (Gauge<Integer>) () -> epoch);
        group.gauge(MetricNames.STARVED_NANOS, (Gauge<Long>) () -> starvedNanos);
        group.gauge(MetricNames.TRANSFER_NANOS, (Gauge<Long>) () -> transferNanos);
        group.gauge(MetricNames.STEP_NANOS, (Gauge<Long>) () -> stepNanos);
        group.gauge(MetricNames.EVALUATION_NANOS, (Gauge<Long>) () -> evaluationNanos);
        group.histogram(MetricNames.STEP_TIME_NANOS, stepTimeNanos);
        group.histogram(MetricNames.WAIT_TIME_NANOS, waitTimeNanos);
        group.gauge(MetricNames.LOSS, (Gauge<Double>) () -> loss);
        group.gauge(MetricNames.ACCURACY, (Gauge<Double>) () -> accuracy);
        group.gauge(MetricNames.ASSEMBLE_NANOS, (Gauge<Long>) () -> assembleNanos);
        group.gauge(MetricNames.SLOT_WAIT_NANOS, (Gauge<Long>) () -> slotWaitNanos);
        group.gauge(MetricNames.WAITING_ROWS, (Gauge<Long>) () -> waitingRows);
        group.gauge(MetricNames.PARKED_ROWS, (Gauge<Long>) () -> parkedRows);
        group.gauge(MetricNames.PARKED_BYTES, (Gauge<Long>) () -> parkedBytes);
        group.gauge(MetricNames.MOST_WAITING_ROWS, (Gauge<Long>) () -> mostWaitingRows);
        group.gauge(MetricNames.MOST_PARKED_BYTES, (Gauge<Long>) () -> mostParkedBytes);
        group.gauge(MetricNames.RESTARTS, (Gauge<Integer>) () -> restarts);
        group.gauge(MetricNames.CHECKPOINTS, (Gauge<Long>) () -> checkpoints.count());
        group.gauge(MetricNames.CHECKPOINT_BYTES, (Gauge<Long>) () -> checkpoints.bytes());
        group.gauge(MetricNames.CHECKPOINT_DRAIN_NANOS, (Gauge<Long>) () -> checkpoints.drainNanos());
        group.gauge(MetricNames.CHECKPOINT_COPY_NANOS, (Gauge<Long>) () -> checkpoints.copyNanos());

        group.gauge(MetricNames.OWN_NANOS, (Gauge<Long>) () -> stepNanos);
        group.gauge(MetricNames.WAIT_IN_NANOS, (Gauge<Long>) () -> starvedNanos);
        group.gauge(MetricNames.CPU_NANOS, (Gauge<Long>) () -> cpuNanos);
        group.gauge(MetricNames.CORE_WAIT_NANOS, (Gauge<Double>) () -> coreWaitNanos());
        group.gauge(MetricNames.RECORDS, (Gauge<Long>) () -> samples);
        group.gauge(MetricNames.RECORDS_PER_OWN_SECOND, (Gauge<Double>) () -> recordsPerOwnSecond());
        group.gauge(MetricNames.BYTES, (Gauge<Long>) () -> bytes);
        group.gauge(MetricNames.FAILURES, (Gauge<Long>) () -> missingRows);
    }

    /** Registers what the device does; not a number is unknown. Asks nothing of a device that may be closed. */
    static void register(MetricGroup operatorGroup, TrainingDevice device) {
        device.pinned().ifPresent(slab -> register(operatorGroup, slab));
        register(operatorGroup, device.device().use(), device.watch());
    }

    static void register(MetricGroup operatorGroup, DeviceUse use, DeviceWatch watch) {
        MetricGroup group = operatorGroup.addGroup(MetricNames.GROUP);
        group.gauge(MetricNames.TRANSFER_GIGABYTES_PER_SECOND, (Gauge<Double>)
                () -> ratio(use.latest().copiedBytes(), use.latest().copyNanos()));
        group.gauge(MetricNames.COPY_OVERLAP, (Gauge<Double>)
                () -> ratio(use.latest().hiddenNanos(), use.latest().copyNanos()));
        group.gauge(MetricNames.ENGINE_NANOS, (Gauge<Long>) () -> use.latest().engineNanos());
        group.gauge(
                MetricNames.COPY_WAIT_NANOS, (Gauge<Long>) () -> use.latest().engineWaitNanos());
        group.gauge(MetricNames.DEVICE_MEMORY_BYTES, (Gauge<Double>)
                () -> number(watch.seen().memoryUsedBytes()));
        group.gauge(MetricNames.DEVICE_MEMORY_TOTAL_BYTES, (Gauge<Double>)
                () -> number(watch.seen().memoryTotalBytes()));
        group.gauge(MetricNames.GPU_UTILIZATION, (Gauge<Double>)
                () -> number(watch.seen().utilization()));
        group.gauge(
                MetricNames.GPU_WATTS, (Gauge<Double>) () -> number(watch.seen().watts()));
    }

    private static double ratio(long value, long of) {
        return of == 0 ? Double.NaN : (double) value / of;
    }

    private static double number(@Nullable Number value) {
        return value == null ? Double.NaN : value.doubleValue();
    }

    /** Registers how much page-locked memory micro-batches take, and how many found none. */
    static void register(MetricGroup operatorGroup, PinnedSlab slab) {
        MetricGroup group = operatorGroup.addGroup(MetricNames.GROUP);
        group.gauge(MetricNames.PINNED_BYTES, (Gauge<Long>) () -> slab.use().takenBytes());
        group.gauge(MetricNames.PAGEABLE_BUFFERS, (Gauge<Long>) () -> slab.use().pageableBuffers());
    }

    /** Not a number when unknown. */
    private double coreWaitNanos() {
        CoreWait wait = coreWait;
        OptionalLong nanos = wait == null ? OptionalLong.empty() : wait.nanos();
        return nanos.isPresent() ? nanos.getAsLong() : Double.NaN;
    }

    private double recordsPerOwnSecond() {
        long nanos = stepNanos;
        return samples == 0 || nanos == 0 ? Double.NaN : samples * NANOS_PER_SECOND / nanos;
    }
}
