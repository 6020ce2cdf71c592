package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import io.millrace.order.BatchPlan;
import io.millrace.sample.Split;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainStep.EvaluationResult;
import io.millrace.train.TrainStep.StepResult;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The trainer's side of a run: trains and evaluates on the batches that it is given, in their order, and keeps the
 * figures. All methods are called from the trainer's one thread.
 */
final class Trainer implements AutoCloseable {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final BatchPlan plan;
    private final TrainStep step;
    private final StepLog log;
    private final Path folder;
    private final TrainerMetrics metrics;
    private final RunClock clock;
    private final long startCpuNanos = THREADS.getCurrentThreadCpuTime();

    private long steps;
    private long samples;
    private long sentBytes;
    private long firstStepAtMillis = -1;
    private long starvedNanos;
    private long transferNanos;
    private long stepNanos;
    private long evaluationNanos;

    private int lossEpoch = -1;
    private double lossSum;
    private long lossRows;

    private double evaluationLossSum;
    private long evaluationCorrect;
    private long evaluationCounted;
    private long evaluationRows;
    private @Nullable Double evaluationLoss;
    private @Nullable Double accuracy;

    /** Takes ownership of the step and the log. */
    Trainer(BatchPlan plan, TrainStep step, StepLog log, Path folder, TrainerMetrics metrics) {
        this.plan = plan;
        this.step = step;
        this.log = log;
        this.folder = folder;
        this.metrics = metrics;
        this.clock = new RunClock(plan.stepsPerEpoch());
    }

    /**
     * Trains or evaluates on a batch.
     *
     * @param waitNanos how long the trainer waited for it
     */
    void accept(DeviceBatch batch, long waitNanos) throws IOException {
        boolean last = plan.batch(batch.number()).last();
        long began = System.nanoTime();
        if (batch.split() == Split.TRAIN) {
            long starved = firstStepAtMillis < 0 ? 0 : waitNanos; // before the first batch all is start-up
            StepResult result = step.train(batch);
            log.write(batch, result, waitNanos);
            starvedNanos += starved;
            trained(batch, result, starved + System.nanoTime() - began, last);
        } else {
            evaluated(step.evaluate(batch), last);
            evaluationNanos += waitNanos + System.nanoTime() - began;
        }
        publish();
    }

    private void trained(DeviceBatch batch, StepResult result, long nanos, boolean last) {
        if (firstStepAtMillis < 0) {
            firstStepAtMillis = System.currentTimeMillis();
        }
        steps++;
        samples += batch.rows();
        transferNanos += result.transferNanos();
        stepNanos += result.computeNanos();
        clock.step(batch.rows(), nanos, last);
        if (batch.epoch() != lossEpoch) {
            lossEpoch = batch.epoch();
            lossSum = 0;
            lossRows = 0;
        }
        if (!Double.isNaN(result.loss())) {
            lossSum += result.loss() * batch.rows();
            lossRows += batch.rows();
        }
        sentBytes += batch.sentBytes();
        metrics.bytes = sentBytes;
        metrics.epoch = batch.epoch();
        metrics.loss = result.loss();
    }

    private void evaluated(EvaluationResult result, boolean last) {
        evaluationLossSum += result.lossSum();
        evaluationCorrect += Math.max(0, result.correct());
        evaluationCounted += result.counted();
        evaluationRows += result.rows();
        if (last) {
            boolean any = evaluationRows > 0 && !Double.isNaN(evaluationLossSum);
            evaluationLoss = any ? Double.valueOf(evaluationLossSum / evaluationRows) : null;
            accuracy = any && result.correct() >= 0 && evaluationCounted > 0
                    ? Double.valueOf((double) evaluationCorrect / evaluationCounted)
                    : null;
            metrics.accuracy = accuracy == null ? Double.NaN : accuracy;
            evaluationLossSum = 0;
            evaluationCorrect = 0;
            evaluationCounted = 0;
            evaluationRows = 0;
        }
    }

    private void publish() {
        metrics.steps = steps;
        metrics.samples = samples;
        metrics.starvedNanos = starvedNanos;
        metrics.transferNanos = transferNanos;
        metrics.stepNanos = stepNanos;
        metrics.evaluationNanos = evaluationNanos;
        metrics.cpuNanos = cpuNanos();
    }

    /**
     * Writes the model and tells what was done.
     *
     * @param finished whether the input came to its end
     */
    TrainReport end(boolean finished) throws IOException {
        if (step.parameterCount() > 0) {
            RunModel.write(folder, step);
        }
        return report(finished);
    }

    /** What was done so far. */
    TrainReport report(boolean finished) {
        return new TrainReport(
                finished,
                steps,
                samples,
                sentBytes,
                clock.epochMillis(),
                firstStepAtMillis,
                clock.trainNanos(),
                starvedNanos,
                transferNanos,
                stepNanos,
                evaluationNanos,
                cpuNanos(),
                clock.warmSamples(),
                clock.warmNanos(),
                lossRows == 0 ? null : Double.valueOf(lossSum / lossRows),
                evaluationLoss,
                accuracy,
                step.parametersSha256(),
                step.parameterCount(),
                0,
                0,
                0);
    }

    private long cpuNanos() {
        return THREADS.getCurrentThreadCpuTime() - startCpuNanos;
    }

    @Override
    public void close() throws IOException {
        try (log) {
            step.close();
        }
    }
}
