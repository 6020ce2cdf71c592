package io.millrace.sink.figures;

import io.millrace.device.EngineTime;
import io.millrace.device.EngineTimeline.Lap;
import io.millrace.metrics.CoreWait;
import io.millrace.order.BatchPlan;
import io.millrace.sample.Split;
import io.millrace.train.TrainStep.StepResult;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The counts of a trainer's work, for its checkpoints, its report and its metrics. The trainer's thread creates the
 * tally and calls all its methods, because the CPU time and the wait for a core are measured for the calling thread.
 */
public final class TrainerTally {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final TrainerMetrics metrics;
    private final Optional<EngineTime> engine;
    private final RunClock clock;
    private final EpochTally epochs;
    private final EvaluationTally evaluation;
    private final OperationTimes operations = new OperationTimes();

    /** The wait of the trainer's thread for a core; null when the training loop is a client's, of which only the durations are known. */
    private final @Nullable CoreWait coreWait;

    private final long startCpuNanos = THREADS.getCurrentThreadCpuTime();
    private final long earlierCpuNanos;
    private ColumnBytes columnBytes = ColumnBytes.NONE;
    private TrainerCounters counters;
    private TrainerState.Loss loss;
    private long refillNanos;

    /**
     * The time of a training step.
     *
     * @param nanos the time since the end of the previous step, without evaluations, copies of the state and
     *     refills
     * @param waitNanos the part of this time in which the trainer waited for the batch, or in which a device that works
     *     asynchronously was idle; 0 for the first batch, because that wait is part of the start-up
     * @param transferNanos the time in which the batch was moved to the device; on a device that works asynchronously,
     *     the part of {@code waitNanos} in which the engine waited for the batch's copies
     * @param computeNanos the time of forward, backward and optimizer
     * @param stepNanos the time of the step as a whole, without {@code waitNanos}
     */
    public record StepTime(long nanos, long waitNanos, long transferNanos, long computeNanos, long stepNanos) {
        /** Returns the time of a step that the trainer's thread computed. */
        public static StepTime of(StepResult result, long nanos, long waitNanos) {
            return new StepTime(
                    nanos,
                    waitNanos,
                    result.transferNanos(),
                    result.computeNanos(),
                    result.transferNanos() + result.computeNanos());
        }

        /** Returns the time of a step on a device that works asynchronously. */
        public static StepTime of(Lap lap) {
            return new StepTime(lap.nanos(), lap.idleNanos(), lap.copyWaitNanos(), lap.workNanos(), lap.workNanos());
        }
    }

    /**
     * Creates the tally of a run that begins.
     *
     * @param engine the time of a device that works asynchronously, which the caller owns; empty for another device
     */
    public TrainerTally(TrainerMetrics metrics, Optional<EngineTime> engine, BatchPlan plan) {
        this(
                metrics,
                engine,
                CoreWait.ofThisThread(),
                new RunClock(plan.stepsPerEpoch()),
                new EpochTally(plan, metrics, EpochTally.State.NONE),
                new EvaluationTally(),
                TrainerCounters.NONE,
                TrainerState.Loss.NONE);
    }

    /** Creates the tally of a run that continues from a state. */
    public TrainerTally(TrainerMetrics metrics, Optional<EngineTime> engine, BatchPlan plan, TrainerState from) {
        this(metrics, engine, CoreWait.ofThisThread(), plan, from);
    }

    private TrainerTally(
            TrainerMetrics metrics,
            Optional<EngineTime> engine,
            @Nullable CoreWait coreWait,
            BatchPlan plan,
            TrainerState from) {
        this(
                metrics,
                engine,
                coreWait,
                new RunClock(plan.stepsPerEpoch(), from.clock()),
                new EpochTally(plan, metrics, from.epochs()),
                new EvaluationTally(from),
                from.counters(),
                from.loss());
        publish();
    }

    /** Returns the tally of a client's training loop, which continues from a state if there is one. */
    public static TrainerTally ofClient(TrainerMetrics metrics, BatchPlan plan, Optional<TrainerState> from) {
        return from.map(state -> new TrainerTally(metrics, Optional.empty(), null, plan, state))
                .orElseGet(() -> new TrainerTally(
                        metrics,
                        Optional.empty(),
                        null,
                        new RunClock(plan.stepsPerEpoch()),
                        new EpochTally(plan, metrics, EpochTally.State.NONE),
                        new EvaluationTally(),
                        TrainerCounters.NONE,
                        TrainerState.Loss.NONE));
    }

    private TrainerTally(
            TrainerMetrics metrics,
            Optional<EngineTime> engine,
            @Nullable CoreWait coreWait,
            RunClock clock,
            EpochTally epochs,
            EvaluationTally evaluation,
            TrainerCounters counters,
            TrainerState.Loss loss) {
        this.metrics = metrics;
        this.engine = engine;
        this.coreWait = coreWait;
        this.clock = clock;
        this.epochs = epochs;
        this.evaluation = evaluation;
        this.counters = counters;
        this.loss = loss;
        earlierCpuNanos = counters.times().cpuNanos();
        metrics.coreWait = coreWait;
        metrics.work = new TrainerMetrics.Work(counters, 0, 0, Double.NaN);
        metrics.epoch = Math.max(0, loss.lossEpoch());
        metrics.begun = true;
    }

    public EvaluationTally evaluation() {
        return evaluation;
    }

    /** Records that the trainer waited for a batch of the split. It is not called for the first batch. */
    public void waited(Split split, long nanos) {
        operations.waited(nanos);
        if (split == Split.TRAIN) {
            metrics.waitTimeNanos.update(nanos);
        }
    }

    /** Records the time of the device transforms of a batch that goes to a client. */
    public void transformed(long nanos) {
        operations.transformed(nanos);
    }

    /**
     * Records the result of a step, which may arrive after the next step was enqueued.
     *
     * @param result the result, with the times of the trainer's thread
     */
    public void trained(TrainedBatch batch, StepResult result, StepTime time) {
        if (coreWait == null) {
            operations.stepped(time.stepNanos);
        } else if (batch.rows() > 0) {
            operations.trained(result);
        }
        counters = counters.plusStep(batch.rows(), batch.wireBytes(), System.currentTimeMillis())
                .with(counters.times().plusStarved(time.waitNanos).plusStep(time.transferNanos, time.computeNanos));
        clock.step(batch.rows(), time.nanos, time.waitNanos, batch.last());
        columnBytes = columnBytes.plus(batch.columns());
        metrics.stepTimeNanos.update(time.stepNanos);
        loss = loss.plus(batch.epoch(), result.loss(), batch.rows());
        epochs.step(batch, time.nanos, time.waitNanos, loss.mean());
        metrics.epoch = batch.epoch();
        metrics.loss = result.loss();
    }

    /** Records a step of which neither the times nor the loss are known. It does not change the pace of the training. */
    public void trainedUnseen(TrainedBatch batch) {
        counters = counters.plusStep(batch.rows(), batch.wireBytes(), System.currentTimeMillis());
        clock.step(0, 0, 0, batch.last());
        columnBytes = columnBytes.plus(batch.columns());
        loss = loss.plus(batch.epoch(), Double.NaN, batch.rows());
        epochs.step(batch, 0, 0, loss.mean());
        metrics.epoch = batch.epoch();
    }

    /** Records the refill after a checkpoint, which is neither starvation nor a part of a step. */
    public void refilled(long nanos) {
        operations.refilled(nanos);
        refillNanos += nanos;
    }

    /** Records that a batch of an evaluation was passed through the model. */
    public void evaluated(long nanos, long waitNanos) {
        operations.evaluated(nanos);
        counters = counters.with(counters.times().plusStarved(waitNanos).plusEvaluation(nanos));
    }

    /** Ends an evaluation after its last batch. */
    public void evaluationEnded() {
        epochs.evaluated(evaluation.loss(), evaluation.accuracy());
    }

    /** Updates the metrics. Their clock is the device's where the device has times of its own. */
    public void publish() {
        Double accuracy = evaluation.accuracy();
        metrics.accuracy = accuracy == null ? Double.NaN : accuracy;
        TrainerCounters now = counters();
        metrics.work = engine.isPresent()
                ? new TrainerMetrics.Work(
                        now,
                        now.times().transferNanos(),
                        refillNanos,
                        engine.get().clockNanos())
                : new TrainerMetrics.Work(now, 0, refillNanos, System.nanoTime());
    }

    /** Returns the state for a checkpoint. */
    public TrainerState state() {
        return new TrainerState(counters(), loss, evaluation.state(), epochs.state(), clock.state());
    }

    /**
     * Returns the report for the client, without the counters of the task and the use of the device.
     *
     * @param parametersSha256 the hash of the parameters; null when training was aborted
     */
    public TrainReport report(boolean finished, @Nullable String parametersSha256, long parameterCount) {
        OptionalLong coreWaited = coreWait == null ? OptionalLong.empty() : coreWait.nanos();
        return new TrainReport(
                finished,
                counters(),
                clock.pace(),
                new TrainReport.Result(
                        loss.mean(), evaluation.loss(), evaluation.accuracy(), parametersSha256, parameterCount),
                epochs.report(),
                TaskCounters.NONE,
                new TrainReport.Attempt(
                        coreWaited.isPresent() ? Long.valueOf(coreWaited.getAsLong()) : null,
                        refillNanos,
                        operations.list(),
                        columnBytes,
                        null));
    }

    private TrainerCounters counters() {
        if (coreWait == null) {
            return counters;
        }
        long cpuNanos = earlierCpuNanos + THREADS.getCurrentThreadCpuTime() - startCpuNanos;
        return counters.with(counters.times().withCpu(cpuNanos));
    }
}
