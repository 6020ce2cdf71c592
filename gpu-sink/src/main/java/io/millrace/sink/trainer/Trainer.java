package io.millrace.sink.trainer;

import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.EngineTime;
import io.millrace.device.EngineTimeline.Lap;
import io.millrace.device.EngineWork;
import io.millrace.exchange.Replicas;
import io.millrace.lifecycle.Handles;
import io.millrace.order.BatchPlan;
import io.millrace.sample.Split;
import io.millrace.sink.figures.EvaluationTally;
import io.millrace.sink.figures.TaskProgress;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainedBatch;
import io.millrace.sink.figures.TrainerMetrics;
import io.millrace.sink.figures.TrainerState;
import io.millrace.sink.figures.TrainerTally;
import io.millrace.sink.figures.TrainerTally.StepTime;
import io.millrace.sink.files.StateRefusedException;
import io.millrace.sink.progress.Progress;
import io.millrace.sink.progress.RestoredState;
import io.millrace.sink.progress.RunLogs;
import io.millrace.sink.progress.SavedRun;
import io.millrace.sink.progress.TrainerSnapshot;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.train.Pending;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainStep.EvaluationResult;
import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.StateChunk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The trainer of a rank. It trains and evaluates on batches in the order in which it receives them. Only the trainer's
 * thread calls it.
 *
 * <p>Tested by {@code TrainOperatorTest}.
 */
public final class Trainer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Trainer.class);

    private final BatchPlan plan;
    private final TrainStep step;
    private final RunLogs logs;
    private final Path folder;
    private final TrainerTally figures;
    private final TrainerTrace trace = new TrainerTrace();
    private final PendingResults pending = new PendingResults();
    private final CheckpointRefill refill = new CheckpointRefill();

    /** The time of a device that works asynchronously; empty where the engine computes on the trainer's thread. */
    private final Optional<EngineTime> engine;

    private boolean begun;
    private @Nullable Replicas replicas;

    /** Takes ownership of the step, the logs and the engine's time. They must be in the state that the figures describe. */
    private Trainer(SinkSpec spec, TrainStep step, RunLogs logs, TrainerTally figures, Optional<EngineTime> engine) {
        this.plan = spec.run().plan();
        this.step = step;
        this.logs = logs;
        this.folder = Path.of(spec.run().folder());
        this.figures = figures;
        this.engine = engine;
    }

    /**
     * Opens the model and the files of a run.
     *
     * @param device the device that holds the batches; the caller owns it
     * @param from the state to continue from; null for a new run. The chunks of its model are closed after they are
     *     restored
     * @param rendezvous the rendezvous with the replicas of this model; null when this rank has a model of its own
     * @throws Exception when the model or a file cannot be opened; the message is for the user, and everything is
     *     closed
     */
    public static Trainer open(
            SinkSpec spec,
            Device device,
            TrainerMetrics metrics,
            @Nullable RestoredState from,
            @Nullable ReplicaRendezvous rendezvous)
            throws Exception {
        BatchPlan plan = spec.run().plan();
        Handles opened = new Handles();
        return opened.closeOnFailure(() -> {
            TrainStep step = opened.add(spec.train()
                    .opener()
                    .open(spec.train().spec(), spec.train().trainers().split().batch(), device));
            Optional<EngineTime> engine = EngineTime.of(device);
            engine.ifPresent(opened::add);
            TrainerTally figures;
            RunLogs logs;
            if (from == null) {
                figures = new TrainerTally(metrics, engine, plan);
                logs = opened.add(RunLogs.begin(spec));
            } else {
                step.restore(from.model());
                from.model().forEach(StateChunk::close);
                Progress progress = from.progress();
                logs = opened.add(RunLogs.resume(spec, progress));
                TrainerState state = progress.isOf(Path.of(spec.run().folder()))
                        ? progress.trainer()
                        : progress.trainer().inAnotherRun();
                figures = new TrainerTally(metrics, engine, plan, state);
            }
            Trainer trainer = new Trainer(spec, step, logs, figures, engine);
            if (rendezvous != null) {
                trainer.join(rendezvous);
            }
            return trainer;
        });
    }

    /** Joins the replicas, which must have equal models. */
    private void join(ReplicaRendezvous rendezvous) throws Exception {
        Replicas all = rendezvous.join();
        LOG.info("rank {} has joined the other ranks: {}", rendezvous.address().rank(), all.describe());
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
    }

    /** Returns the replicas that this model is kept equal to; empty when this rank has a model of its own. */
    Optional<Replicas> replicas() {
        return Optional.ofNullable(replicas);
    }

    /**
     * Trains or evaluates on a batch.
     *
     * @param waitNanos the time for which the trainer waited for the batch
     */
    void accept(DeviceBatch batch, long waitNanos) throws IOException {
        BatchPlan.Batch planned = plan.batch(batch.number());
        long began = System.nanoTime();
        trace.waited(began - waitNanos, began);
        batch.beginUse();
        if (batch.split() == Split.TRAIN) {
            train(batch, planned, began, waitNanos);
        } else {
            evaluate(batch, planned, began, waitNanos);
        }
        begun = true;
        figures.publish();
    }

    private void train(DeviceBatch batch, BatchPlan.Batch planned, long began, long waitNanos) throws IOException {
        Pending<StepResult> enqueued = step.enqueue(batch);
        EngineWork work = batch.endUse();
        traceEnqueued(began);
        logs.enqueued(batch);
        TrainedBatch trained = TrainedBatch.of(batch, planned);
        boolean first = !begun; // the wait before the first batch is start-up
        pending.add(() -> enqueued.isDone() && work.isDone(), () -> {
            StepResult result = enqueued.result();
            if (engine.isPresent()) {
                trainedOnDevice(engine.get(), trained, result, work);
            } else {
                if (trained.rows() > 0) {
                    trace.trained(began, result);
                }
                long starved = first ? 0 : waitNanos - refilled(waitNanos);
                if (!first) {
                    figures.waited(Split.TRAIN, starved);
                }
                logs.trained(trained, result, first ? waitNanos : starved);
                figures.trained(trained, result, StepTime.of(result, System.nanoTime() - began + starved, starved));
            }
        });
    }

    /** Adds the enqueueing of a batch to the trace. Its work is in the trace of the device. */
    private void traceEnqueued(long began) {
        if (engine.isPresent()) {
            trace.enqueued(began, System.nanoTime());
        }
    }

    /** Records the result of a step with the times of the device. */
    private void trainedOnDevice(EngineTime time, TrainedBatch batch, StepResult result, EngineWork work)
            throws IOException {
        boolean first = !time.hasBegun();
        Lap whole = time.batch(work);
        Lap lap = whole.withIdle(whole.idleNanos() - refilled(whole.idleNanos()));
        if (!first) {
            figures.waited(Split.TRAIN, lap.idleNanos());
        }
        logs.trained(batch, new StepResult(result.loss(), 0, lap.workNanos()), lap.idleNanos());
        figures.trained(batch, result, StepTime.of(lap));
    }

    /** Records the wait before a training step, and returns the part of it that is not starvation. */
    private long refilled(long waitNanos) {
        long refilled = refill.of(waitNanos);
        if (refilled > 0) {
            figures.refilled(refilled);
        }
        return refilled;
    }

    private void evaluate(DeviceBatch batch, BatchPlan.Batch planned, long began, long waitNanos) throws IOException {
        Pending<EvaluationResult> enqueued = step.enqueueEvaluation(batch);
        EngineWork work = batch.endUse();
        traceEnqueued(began);
        long trainedSteps = batch.step();
        boolean waited = begun && engine.isEmpty();
        pending.add(() -> enqueued.isDone() && work.isDone(), () -> {
            EvaluationResult result = enqueued.result();
            refill.evaluated();
            EvaluationTally tally = figures.evaluation();
            tally.add(result);
            if (planned.last()) {
                tally.end(result.correct() >= 0, replicas);
                figures.evaluationEnded();
                logs.evaluated(trainedSteps, tally.loss(), tally.accuracy());
            }
            long evaluated = System.nanoTime();
            if (engine.isEmpty()) {
                trace.evaluated(began, evaluated);
            }
            if (waited) {
                figures.waited(Split.EVALUATE, waitNanos);
            }
            Optional<Lap> lap = engine.map(time -> time.batch(work));
            figures.evaluated(lap.map(Lap::nanos).orElse(evaluated - began), lap.isPresent() ? 0 : waitNanos);
        });
        if (planned.last() && replicas != null) {
            pending.settle(); // all replicas add up their results behind the same batch
        }
    }

    /** Copies the state from which training can continue. The caller closes the model in the result. */
    TrainerSnapshot snapshot() throws IOException {
        long began = System.nanoTime();
        engine.ifPresent(EngineTime::copyBegins);
        pending.settle();
        ModelState model = step.snapshot();
        Handles onFailure = new Handles();
        onFailure.add(model);
        return onFailure.closeOnFailure(() -> {
            Long copyNanos = engine.map(EngineTime::copyEnded).orElse(null);
            trace.copied(began, System.nanoTime());
            refill.copied();
            figures.publish();
            return new TrainerSnapshot(model, figures.state(), logs.flush(), copyNanos);
        });
    }

    /** Writes the model, with the state from which training can continue, and returns the report. */
    TrainReport end(TrainingOutcome ending, TaskProgress task) throws IOException {
        pending.settle();
        figures.publish();
        logs.flush();
        if (step.parameterCount() > 0) {
            TrainerSnapshot snapshot = snapshot();
            try (ModelState model = snapshot.model()) {
                Progress progress = Progress.of(plan, folder, task, snapshot);
                RunModel.write(folder, step, new SavedRun(progress, task.quarantine(), model));
            }
        }
        return figures.report(ending == TrainingOutcome.FINISHED, step.parametersSha256(), step.parameterCount());
    }

    /** Returns the report of a training that was aborted. */
    TrainReport report() {
        return figures.report(false, null, step.parameterCount());
    }

    @Override
    public void close() throws IOException {
        try (logs) {
            try (step) {
                engine.ifPresent(EngineTime::close);
            }
        }
    }
}
