package io.millrace.diagnosis.ladder;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.batch.PackLimits;
import io.millrace.batch.Packer;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.diagnosis.Patience;
import io.millrace.diagnosis.SteadySpeed;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sink.SinkSpec;
import io.millrace.sink.TrainingDevice;
import io.millrace.train.PendingStep;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainStep.StepResult;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Trains on the same batches again and again, with nothing before it: the two upper rungs. The batches are where the run's
 * trainer would have them; where the step's own time is told apart from that of the transfer, it is the rung of the device.
 */
final class TrainerFeed {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double STRETCH_SECONDS = 0.25;

    private TrainerFeed() {}

    /**
     * Measures in this thread.
     *
     * @param samples that have gone through all transforms; the batches are made of these
     */
    static TrainerSpeed measure(SinkSpec sink, int batch, List<CachedSample> samples, Patience patience)
            throws Exception {
        try (TrainingDevice opened = TrainingDevice.open(sink.device().device(), 0, List.of());
                Handles handles = new Handles();
                TrainStep step = sink.train().opener().open(sink.train().spec(), batch, opened.device())) {
            int count = Math.max(1, samples.size() / batch);
            List<DeviceBatch> batches = new ArrayList<>();
            for (int number = 0; number < count; number++) {
                DeviceBatch made = handles.add(
                        opened.device().allocate(sink.train().spec().data().input(), batch));
                batches.add(made);
                fill(made, opened.device(), number, batch, samples);
            }
            return measure(step, batches, patience);
        }
    }

    private static TrainerSpeed measure(TrainStep step, List<DeviceBatch> batches, Patience patience) {
        SteadySpeed host = new SteadySpeed(STRETCH_SECONDS);
        SteadySpeed device = new SteadySpeed(STRETCH_SECONDS);
        long transferNanos = 0;
        long computeNanos = 0;
        long samples = 0;
        long began = System.nanoTime();
        long cpuBegan = cpuNanos();
        while (true) {
            DeviceBatch batch = batches.get((int) (samples / batches.get(0).rows() % batches.size()));
            batch.beginUse();
            PendingStep pending = step.enqueue(batch);
            batch.endUse();
            StepResult result = pending.result();
            long elapsed = System.nanoTime() - began;
            samples += batch.rows();
            if (elapsed >= patience.warmUp().toNanos()) {
                transferNanos += result.transferNanos();
                computeNanos += result.computeNanos();
                host.add((transferNanos + computeNanos) / NANOS_PER_SECOND, samples);
                device.add(computeNanos / NANOS_PER_SECOND, samples);
            }
            boolean steady =
                    TrainerSpeed.steady(host, patience) && (computeNanos == 0 || TrainerSpeed.steady(device, patience));
            if (steady || elapsed >= patience.most().toNanos()) {
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
                int place = Math.toIntExact(packed.position(row) - first);
                for (int column = 0; column < packed.spec().columns().size(); column++) {
                    target.filling().put(column, place, packed.address(column, row), packed.bytes(column, row));
                }
                target.filling().place(place, packed.position(row), packed.index(row), packed.label(row));
            }
            device.copies().synchronize();
        }
    }
}
