package io.millrace.sink;

import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.exchange.Replicas;
import io.millrace.metrics.CoreWait;
import io.millrace.order.BatchPlan;
import io.millrace.sample.Split;
import io.millrace.train.AskedStep;
import io.millrace.train.ModelState;
import io.millrace.train.StateChunk;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainStep.EvaluationResult;
import io.millrace.train.TrainStep.StepResult;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The trainer's side of a run: trains and evaluates on the batches that it is given, in their order, and keeps the
 * figures. All methods are called from the trainer's one thread.
 */
final class Trainer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Trainer.class);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final BatchPlan plan;
    private final TrainStep step;
    private final RunLogs logs;
    private final Path folder;
    private final TrainerMetrics metrics;
    private final RunClock clock;
    private final long startCpuNanos = THREADS.getCurrentThreadCpuTime();
    private final CoreWait coreWait;
    private final OperationTimes operations = new OperationTimes();
    private final TrainerTrace trace = new TrainerTrace();
    private final StepsUnderWay underWay = new StepsUnderWay(this::done);
    private boolean begun;
    private @Nullable Replicas replicas;

    private long steps;
    private long samples;
    private long sentBytes;
    private ColumnBytes columnBytes = ColumnBytes.NONE;
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

    private double evaluationLossSum;
    private long evaluationCorrect;
    private long evaluationCounted;
    private long evaluationRows;
    private @Nullable Double evaluationLoss;
    private @Nullable Double accuracy;

    /**
     * A trainer at the beginning of a run. Takes ownership of the step and the logs.
     *
     * @param folder the run's
     */
    Trainer(BatchPlan plan, TrainStep step, RunLogs logs, Path folder, TrainerMetrics metrics) {
        this(plan, step, logs, folder, metrics, new RunClock(plan.stepsPerEpoch()));
    }

    /** A trainer that goes on; step and logs are where they were at that state. */
    Trainer(BatchPlan plan, TrainStep step, RunLogs logs, Path folder, TrainerMetrics metrics, TrainerState from) {
        this(plan, step, logs, folder, metrics, new RunClock(plan.stepsPerEpoch(), from.clock()));
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
        evaluationLossSum = from.evaluationLossSum();
        evaluationCorrect = from.evaluationCorrect();
        evaluationCounted = from.evaluationCounted();
        evaluationRows = from.evaluationRows();
        evaluationLoss = from.evaluationLoss();
        accuracy = from.accuracy();
        earlierSteps = from.earlierSteps();
        earlierSamples = from.earlierSamples();
        metrics.epoch = Math.max(0, lossEpoch);
        metrics.bytes = sentBytes;
        metrics.accuracy = accuracy == null ? Double.NaN : accuracy;
        publish();
    }

    /**
     * Opens model and files for a run.
     *
     * @param device where the batches are; not owned
     * @param seat among the replicas that this model is kept equal to; null when it is alone
     * @param from where to go on; null at the beginning. Its model's pieces are closed when they are restored
     * @throws Exception with a sentence for the user when that cannot be
     */
    static Trainer open(
            SinkSpec spec, Device device, TrainerMetrics metrics, @Nullable Restored from, @Nullable ReplicaSeat seat)
            throws Exception {
        Path folder = Path.of(spec.folder());
        TrainStep step =
                spec.opener().open(spec.train(), spec.trainers().split().batch(), device);
        try {
            if (from == null) {
                return new Trainer(spec.plan(), step, RunLogs.begin(spec), folder, metrics).joined(seat);
            }
            step.restore(from.model());
            from.model().forEach(StateChunk::close);
            Progress progress = from.progress();
            Path written = Path.of(progress.folder());
            RunLogs logs = RunLogs.resume(spec, progress);
            TrainerState figures = written.equals(folder.toAbsolutePath())
                    ? progress.trainer()
                    : progress.trainer().inAnotherRun();
            return new Trainer(spec.plan(), step, logs, folder, metrics, figures).joined(seat);
        } catch (Exception e) {
            step.close();
            throw e;
        }
    }

    private Trainer(BatchPlan plan, TrainStep step, RunLogs logs, Path folder, TrainerMetrics metrics, RunClock clock) {
        this.plan = plan;
        this.step = step;
        this.logs = logs;
        this.folder = folder;
        this.metrics = metrics;
        this.clock = clock;
        this.coreWait = CoreWait.ofThisThread();
        metrics.coreWait = coreWait;
    }

    /** Joins the replicas, which must have equal models. */
    private Trainer joined(@Nullable ReplicaSeat seat) throws Exception {
        if (seat == null) {
            return this;
        }
        Replicas all = seat.join();
        LOG.info("rank {} is joined with the others: {}", seat.seat().rank(), all.told());
        step.replicate(all);
        long mine = step.parameterCount() == 0 ? 0 : HexFormat.fromHexDigitsToLong(step.parametersSha256(), 0, 16);
        for (long[] other : all.gather(mine)) {
            if (other[0] != mine) {
                throw new StateRefusedException(
                        "the replicas do not begin with equal parameters: were they restored from"
                                + " checkpoints of different runs, or do their machines compute differently?");
            }
        }
        replicas = all;
        return this;
    }

    /** Those that this model is kept equal to, if any. */
    Optional<Replicas> replicas() {
        return Optional.ofNullable(replicas);
    }

    /**
     * Trains or evaluates on a batch.
     *
     * @param waitNanos how long the trainer waited for it
     */
    void accept(DeviceBatch batch, long waitNanos) throws IOException {
        boolean last = plan.batch(batch.number()).last();
        long began = System.nanoTime();
        if (begun) {
            operations.waited(waitNanos);
        }
        trace.waited(began - waitNanos, began);
        batch.beginUse();
        if (batch.split() == Split.TRAIN) {
            long starved = begun ? waitNanos : 0; // before the first batch all is start-up
            AskedStep asked = step.ask(batch);
            batch.endUse();
            logs.asked(batch);
            starvedNanos += starved;
            if (begun) {
                metrics.waitTimeNanos.update(waitNanos);
            }
            underWay.add(TrainedBatch.of(batch), asked, began, waitNanos);
            asked(batch, starved + System.nanoTime() - began, starved, last);
        } else {
            underWay.settle();
            TrainStep.EvaluationResult result = step.evaluate(batch);
            batch.endUse();
            evaluated(batch.step(), result, last);
            long evaluated = System.nanoTime();
            operations.evaluated(evaluated - began);
            trace.evaluated(began, evaluated);
            starvedNanos += waitNanos;
            evaluationNanos += evaluated - began;
        }
        begun = true;
        publish();
    }

    /** A step's result is there, perhaps later than the next was asked for. */
    private void done(TrainedBatch batch, StepResult result, long began, long waitNanos) throws IOException {
        logs.trained(batch, result, waitNanos);
        if (batch.rows() > 0) {
            operations.trained(result);
            trace.trained(began, result);
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

    private void asked(DeviceBatch batch, long nanos, long waitNanos, boolean last) {
        if (firstStepAtMillis < 0) {
            firstStepAtMillis = System.currentTimeMillis();
        }
        steps++;
        samples += batch.rows();
        clock.step(batch.rows(), nanos, waitNanos, last);
        sentBytes += batch.sentBytes();
        columnBytes = columnBytes.and(ColumnBytes.of(batch));
        metrics.bytes = sentBytes;
    }

    private void evaluated(long steps, EvaluationResult result, boolean last) throws IOException {
        evaluationLossSum += result.lossSum();
        evaluationCorrect += Math.max(0, result.correct());
        evaluationCounted += result.counted();
        evaluationRows += result.rows();
        if (last) {
            boolean classes = sumOverReplicas(result.correct() >= 0);
            boolean any = evaluationRows > 0 && !Double.isNaN(evaluationLossSum);
            evaluationLoss = any ? Double.valueOf(evaluationLossSum / evaluationRows) : null;
            accuracy = any && classes && evaluationCounted > 0
                    ? Double.valueOf((double) evaluationCorrect / evaluationCounted)
                    : null;
            metrics.accuracy = accuracy == null ? Double.NaN : accuracy;
            logs.evaluated(steps, evaluationLoss, accuracy);
            evaluationLossSum = 0;
            evaluationCorrect = 0;
            evaluationCounted = 0;
            evaluationRows = 0;
        }
    }

    /** All replicas are one model: what each found on its rows of the evaluation set counts for all. */
    private boolean sumOverReplicas(boolean classes) throws IOException {
        if (replicas == null) {
            return classes;
        }
        List<long[]> all = replicas.gather(
                Double.doubleToRawLongBits(evaluationLossSum),
                evaluationCorrect,
                evaluationCounted,
                evaluationRows,
                classes ? 1 : 0);
        evaluationLossSum = all.stream()
                .mapToDouble(values -> Double.longBitsToDouble(values[0]))
                .sum();
        evaluationCorrect = all.stream().mapToLong(values -> values[1]).sum();
        evaluationCounted = all.stream().mapToLong(values -> values[2]).sum();
        evaluationRows = all.stream().mapToLong(values -> values[3]).sum();
        return all.stream().allMatch(values -> values[4] == 1);
    }

    private void publish() {
        metrics.steps = steps;
        metrics.samples = samples;
        metrics.starvedNanos = starvedNanos;
        metrics.transferNanos = transferNanos;
        metrics.stepNanos = stepNanos;
        metrics.evaluationNanos = evaluationNanos;
        metrics.cpuNanos = cpuNanos();
        metrics.clockNanos = System.nanoTime();
    }

    /** Copies all that it takes to go on from here; the caller closes the model's part. */
    TrainerSnapshot snapshot() throws IOException {
        long began = System.nanoTime();
        underWay.settle();
        TrainerSnapshot copied = new TrainerSnapshot(step.snapshot(), state(), logs.flush());
        trace.copied(began, System.nanoTime());
        return copied;
    }

    private TrainerState state() {
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
                evaluationLossSum,
                evaluationCorrect,
                evaluationCounted,
                evaluationRows,
                evaluationLoss,
                accuracy,
                clock.state(),
                earlierSteps,
                earlierSamples);
    }

    /** Writes the model, with what it takes to go on, and tells what was done. */
    TrainReport end(Ending ending, TaskProgress task) throws IOException {
        underWay.settle();
        logs.flush();
        if (step.parameterCount() > 0) {
            TrainerSnapshot snapshot = snapshot();
            try (ModelState model = snapshot.model()) {
                Progress progress = Progress.of(plan, folder, task, snapshot);
                RunModel.write(folder, step, new SavedRun(progress, task.quarantine(), model));
            }
        }
        return report(ending == Ending.FINISHED, step.parametersSha256());
    }

    /** What was done so far, of a training that was broken off. */
    TrainReport report() {
        return report(false, null);
    }

    private TrainReport report(boolean finished, @Nullable String parametersSha256) {
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
                evaluationLoss,
                accuracy,
                parametersSha256,
                step.parameterCount(),
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

    @Override
    public void close() throws IOException {
        try (logs) {
            step.close();
        }
    }
}
