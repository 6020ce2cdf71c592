package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import io.millrace.metrics.CoreWait;
import io.millrace.sample.Split;
import io.millrace.train.TrainStep.StepResult;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a trainer has done and how long that took: for its checkpoints, for its report and for those who watch. Made and
 * called on the trainer's thread, whose time it counts.
 */
final class TrainerFigures {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final TrainerMetrics metrics;
    private final RunClock clock;
    private final EvaluationTally evaluation;
    private final OperationTimes operations = new OperationTimes();
    private final CoreWait coreWait = CoreWait.ofThisThread();
    private final long startCpuNanos = THREADS.getCurrentThreadCpuTime();
    private ColumnBytes columnBytes = ColumnBytes.NONE;

    private long steps;
    private long samples;
    private long sentBytes;
    private long firstStepAtMillis = -1;
    private long starvedNanos;
    private long transferNanos;
    private long stepNanos;
    private long evaluationNanos;
    private long earlierCpuNanos;
    private long earlierSteps;
    private long earlierSamples;

    private int lossEpoch = -1;
    private double lossSum;
    private long lossRows;

    /** Those of the beginning of a run. */
    TrainerFigures(TrainerMetrics metrics, long stepsPerEpoch) {
        this(metrics, new RunClock(stepsPerEpoch), new EvaluationTally());
    }

    /** Those that go on from there. */
    TrainerFigures(TrainerMetrics metrics, long stepsPerEpoch, TrainerState from) {
        this(metrics, new RunClock(stepsPerEpoch, from.clock()), new EvaluationTally(from));
        steps = from.steps();
        samples = from.samples();
        sentBytes = from.sentBytes();
        firstStepAtMillis = from.firstStepAtMillis();
        starvedNanos = from.starvedNanos();
        transferNanos = from.transferNanos();
        stepNanos = from.stepNanos();
        evaluationNanos = from.evaluationNanos();
        earlierCpuNanos = from.cpuNanos();
        lossEpoch = from.lossEpoch();
        lossSum = from.lossSum();
        lossRows = from.lossRows();
        earlierSteps = from.earlierSteps();
        earlierSamples = from.earlierSamples();
        metrics.epoch = Math.max(0, lossEpoch);
        publish();
    }

    private TrainerFigures(TrainerMetrics metrics, RunClock clock, EvaluationTally evaluation) {
        this.metrics = metrics;
        this.clock = clock;
        this.evaluation = evaluation;
        metrics.coreWait = coreWait;
    }

    EvaluationTally evaluation() {
        return evaluation;
    }

    /** A batch of that split was waited for, which is not the first. */
    void waited(Split split, long nanos) {
        operations.waited(nanos);
        if (split == Split.TRAIN) {
            metrics.waitTimeNanos.update(nanos);
        }
    }

    /**
     * A step was asked for.
     *
     * @param nanos since the one before was
     * @param waitNanos of these, waiting for its batch; 0 for the first, before which all is start-up
     * @param last whether it is the last of its epoch
     */
    void asked(DeviceBatch batch, long nanos, long waitNanos, boolean last) {
        if (firstStepAtMillis < 0) {
            firstStepAtMillis = System.currentTimeMillis();
        }
        steps++;
        samples += batch.rows();
        starvedNanos += waitNanos;
        clock.step(batch.rows(), nanos, waitNanos, last);
        sentBytes += batch.wireBytes();
        columnBytes = columnBytes.and(ColumnBytes.of(batch));
    }

    /** A step's result is there, perhaps later than the next was asked for. */
    void trained(TrainedBatch batch, StepResult result) {
        if (batch.rows() > 0) {
            operations.trained(result);
        }
        metrics.stepTimeNanos.update(result.transferNanos() + result.computeNanos());
        transferNanos += result.transferNanos();
        stepNanos += result.computeNanos();
        if (batch.epoch() != lossEpoch) {
            lossEpoch = batch.epoch();
            lossSum = 0;
            lossRows = 0;
        }
        if (!Double.isNaN(result.loss())) {
            lossSum += result.loss() * batch.rows();
            lossRows += batch.rows();
        }
        metrics.epoch = batch.epoch();
        metrics.loss = result.loss();
    }

    /** A batch of an evaluation was passed through the model. */
    void evaluated(long nanos, long waitNanos) {
        operations.evaluated(nanos);
        starvedNanos += waitNanos;
        evaluationNanos += nanos;
    }

    /** Shows them to those who watch. */
    void publish() {
        Double accuracy = evaluation.accuracy();
        metrics.accuracy = accuracy == null ? Double.NaN : accuracy;
        metrics.bytes = sentBytes;
        metrics.steps = steps;
        metrics.samples = samples;
        metrics.starvedNanos = starvedNanos;
        metrics.transferNanos = transferNanos;
        metrics.stepNanos = stepNanos;
        metrics.evaluationNanos = evaluationNanos;
        metrics.cpuNanos = cpuNanos();
        metrics.clockNanos = System.nanoTime();
    }

    /** For a checkpoint. */
    TrainerState state() {
        return new TrainerState(
                steps,
                samples,
                sentBytes,
                firstStepAtMillis,
                starvedNanos,
                transferNanos,
                stepNanos,
                evaluationNanos,
                cpuNanos(),
                lossEpoch,
                lossSum,
                lossRows,
                evaluation.lossSum(),
                evaluation.correct(),
                evaluation.counted(),
                evaluation.rows(),
                evaluation.loss(),
                evaluation.accuracy(),
                clock.state(),
                earlierSteps,
                earlierSamples);
    }

    /**
     * For the client, without what the task's thread keeps.
     *
     * @param parametersSha256 null when the training was broken off
     */
    TrainReport report(boolean finished, @Nullable String parametersSha256, long parameterCount) {
        OptionalLong coreWaited = coreWait.nanos();
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
                evaluation.loss(),
                evaluation.accuracy(),
                parametersSha256,
                parameterCount,
                0,
                0,
                0,
                0,
                SnapshotCost.NONE,
                earlierSteps,
                earlierSamples,
                coreWaited.isPresent() ? Long.valueOf(coreWaited.getAsLong()) : null,
                operations.list(),
                columnBytes,
                null);
    }

    private long cpuNanos() {
        return earlierCpuNanos + THREADS.getCurrentThreadCpuTime() - startCpuNanos;
    }
}
