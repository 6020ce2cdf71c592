package io.millrace.diagnosis.ladder;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.batch.PackLimits;
import io.millrace.batch.Packer;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.EngineWork;
import io.millrace.diagnosis.SteadySpeed;
import io.millrace.diagnosis.TrialLimits;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sink.SinkSpec;
import io.millrace.sink.TrainingDevice;
import io.millrace.train.Pending;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainStep.StepResult;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The measurement of the two upper rungs: training on the same batches again and again, without the stages before it. The
 * batches lie in the same memory as in a run. The rung of the device uses the time of the step
 * without the transfer.
 */
final class TrainerFeed {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double INTERVAL_SECONDS = 0.25;

    private TrainerFeed() {}

    /**
     * Measures the trainer in this thread.
     *
     * @param batch the number of rows of a batch, at least 1
     * @param samples the samples of the batches, after all transforms; at least one
     */
    static TrainerSpeed measure(SinkSpec sink, int batch, List<CachedSample> samples, TrialLimits limits)
            throws Exception {
        try (TrainingDevice opened = TrainingDevice.open(sink.device().device(), 0, List.of());
                Handles handles = new Handles();
                TrainStep step = sink.train().opener().open(sink.train().spec(), batch, opened.device())) {
            int count = Math.max(1, samples.size() / batch);
            List<DeviceBatch> batches = new ArrayList<>();
            for (int number = 0; number < count; number++) {
                DeviceBatch filled = handles.add(
                        opened.device().allocate(sink.train().spec().data().input(), batch));
                batches.add(filled);
                fill(filled, opened.device(), number, batch, samples);
            }
            return measure(step, opened.device().isAsynchronous(), batches, limits);
        }
    }

    private static TrainerSpeed measure(
            TrainStep step, boolean asynchronous, List<DeviceBatch> batches, TrialLimits limits) {
        SteadySpeed host = new SteadySpeed(INTERVAL_SECONDS);
        SteadySpeed device = new SteadySpeed(INTERVAL_SECONDS);
        long transferNanos = 0;
        long computeNanos = 0;
        long samples = 0;
        long began = System.nanoTime();
        long cpuBegan = cpuNanos();
        while (true) {
            DeviceBatch batch = batches.get((int) (samples / batches.get(0).rows() % batches.size()));
            batch.beginUse();
            Pending<StepResult> pending = step.enqueue(batch);
            EngineWork work = batch.endUse();
            StepResult result = pending.result();
            // Only the device's own events show how long an asynchronous device worked.
            Optional<EngineWork.Times> times = asynchronous ? work.times() : Optional.empty();
            long elapsed = System.nanoTime() - began;
            samples += batch.rows();
            if (elapsed >= limits.warmUp().toNanos()) {
                transferNanos += times.map(EngineWork.Times::copyWaitNanos).orElseGet(result::transferNanos);
                computeNanos += times.map(EngineWork.Times::workNanos).orElseGet(result::computeNanos);
                host.add((transferNanos + computeNanos) / NANOS_PER_SECOND, samples);
                device.add(computeNanos / NANOS_PER_SECOND, samples);
            }
            boolean steady =
                    TrainerSpeed.steady(host, limits) && (computeNanos == 0 || TrainerSpeed.steady(device, limits));
            if (steady || elapsed >= limits.longest().toNanos()) {
                Double busy = busy(cpuNanos() - cpuBegan, elapsed);
                return new TrainerSpeed(TrainerSpeed.Speed.of(host, busy), TrainerSpeed.Speed.of(device, busy));
            }
        }
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static @Nullable Double busy(long cpuNanos, long elapsed) {
        int cores = Runtime.getRuntime().availableProcessors();
        return cpuNanos < 0 ? null : Double.valueOf(Math.min(1, (double) cpuNanos / elapsed / cores));
    }

    private static void fill(DeviceBatch target, Device device, long number, int rows, List<CachedSample> samples) {
        target.begin(number, number, 0, Split.TRAIN, rows);
        try (BufferAllocator allocator =
                        MicroBatchMemory.allocator().newChildAllocator("ladder-" + number, 0, Long.MAX_VALUE);
                Packer packer = new Packer(allocator, target.spec(), PackLimits.ofRows(rows))) {
            for (int row = 0; row < rows; row++) {
                long position = number * rows + row;
                Sample sample = samples.get((int) (position % samples.size()))
                        .shared(position)
                        .placeAt(position, 0, Split.TRAIN);
                if (!packer.fits(sample)) {
                    move(packer, target, device, number * rows);
                }
                packer.add(sample);
            }
            move(packer, target, device, number * rows);
        }
        target.seal();
    }

    private static void move(Packer packer, DeviceBatch target, Device device, long first) {
        try (MicroBatch packed = packer.flush()) {
            for (int row = 0; row < packed.rows(); row++) {
                int targetRow = Math.toIntExact(packed.position(row) - first);
                for (int column = 0; column < packed.spec().columns().size(); column++) {
                    target.filling().put(column, targetRow, packed.address(column, row), packed.bytes(column, row));
                }
                target.filling().place(targetRow, packed.position(row), packed.index(row), packed.label(row));
            }
            device.copies().synchronize();
        }
    }
}
