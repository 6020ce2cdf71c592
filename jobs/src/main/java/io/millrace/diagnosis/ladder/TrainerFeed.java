package io.millrace.diagnosis.ladder;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.device.DeviceBatch;
import io.millrace.device.EngineWork;
import io.millrace.diagnosis.SteadySpeed;
import io.millrace.diagnosis.TrialLimits;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.trainer.TrainingDevice;
import io.millrace.train.Pending;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainStep.StepResult;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The measurement of the two upper rungs: training on the same batches again and again, without the stages before it. The
 * batches lie in the same memory as in a run. The rung of the device uses the time of the step without the transfer. On an
 * asynchronous device, the transfer is the time for which the engine waits for copies: those that take place beside a step
 * cost nothing.
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
                FeedBatches batches = new FeedBatches(
                        opened.device(), sink.train().spec().data().input(), batch, samples);
                TrainStep step = sink.train().opener().open(sink.train().spec(), batch, opened.device())) {
            return measure(step, opened.device().isAsynchronous(), batches, limits);
        }
    }

    private static TrainerSpeed measure(TrainStep step, boolean asynchronous, FeedBatches batches, TrialLimits limits) {
        SteadySpeed host = new SteadySpeed(INTERVAL_SECONDS);
        SteadySpeed device = new SteadySpeed(INTERVAL_SECONDS);
        long transferNanos = 0;
        long computeNanos = 0;
        long samples = 0;
        long began = System.nanoTime();
        long cpuBegan = cpuNanos();
        while (true) {
            DeviceBatch batch = batches.current();
            batch.beginUse();
            Pending<StepResult> pending = step.enqueue(batch);
            EngineWork work = batch.endUse();
            batches.advance();
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
}
