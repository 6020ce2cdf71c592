package io.millrace.sink;

import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.exchange.Replicas;
import io.millrace.lifecycle.Handles;
import io.millrace.order.BatchPlan;
import io.millrace.sample.Split;
import io.millrace.train.PendingStep;
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
 */
final class Trainer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Trainer.class);

    private final BatchPlan plan;
    private final TrainStep step;
    private final RunLogs logs;
    private final Path folder;
    private final TrainerTally figures;
    private final TrainerTrace trace = new TrainerTrace();
    private final PendingSteps pending = new PendingSteps(this::done);
    private boolean begun;
    private @Nullable Replicas replicas;

    /** Takes ownership of the step and the logs. Both must be in the state that the figures describe. */
    private Trainer(SinkSpec spec, TrainStep step, RunLogs logs, TrainerTally figures) {
        this.plan = spec.run().plan();
        this.step = step;
        this.logs = logs;
        this.folder = Path.of(spec.run().folder());
        this.figures = figures;
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
    static Trainer open(
            SinkSpec spec,
            Device device,
            TrainerMetrics metrics,
            @Nullable RestoredState from,
            @Nullable ReplicaRendezvous rendezvous)
            throws Exception {
        long stepsPerEpoch = spec.run().plan().stepsPerEpoch();
        Handles opened = new Handles();
        return opened.closeOnFailure(() -> {
            TrainStep step = opened.add(spec.train()
                    .opener()
                    .open(spec.train().spec(), spec.train().trainers().split().batch(), device));
            TrainerTally figures;
            RunLogs logs;
            if (from == null) {
                figures = new TrainerTally(metrics, stepsPerEpoch);
                logs = opened.add(RunLogs.begin(spec));
            } else {
                step.restore(from.model());
                from.model().forEach(StateChunk::close);
                Progress progress = from.progress();
                logs = opened.add(RunLogs.resume(spec, progress));
                TrainerState state = progress.isOf(Path.of(spec.run().folder()))
                        ? progress.trainer()
                        : progress.trainer().inAnotherRun();
                figures = new TrainerTally(metrics, stepsPerEpoch, state);
            }
            Trainer trainer = new Trainer(spec, step, logs, figures);
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
        boolean last = plan.batch(batch.number()).last();
        long began = System.nanoTime();
        if (begun) {
            figures.waited(batch.split(), waitNanos);
        }
        trace.waited(began - waitNanos, began);
        batch.beginUse();
        if (batch.split() == Split.TRAIN) {
            train(batch, began, waitNanos, last);
        } else {
            evaluate(batch, began, waitNanos, last);
        }
        begun = true;
        figures.publish();
    }

    private void train(DeviceBatch batch, long began, long waitNanos, boolean last) throws IOException {
        PendingStep enqueued = step.enqueue(batch);
        batch.endUse();
        logs.enqueued(batch);
        pending.add(TrainedBatch.of(batch), enqueued, began, waitNanos);
        long starved = begun ? waitNanos : 0; // the wait before the first batch is start-up
        figures.enqueued(batch, starved + System.nanoTime() - began, starved, last);
    }

    /** Records the result of a step; the next step may have been enqueued already. */
    private void done(TrainedBatch batch, StepResult result, long began, long waitNanos) throws IOException {
        logs.trained(batch, result, waitNanos);
        if (batch.rows() > 0) {
            trace.trained(began, result);
        }
        figures.trained(batch, result);
    }

    private void evaluate(DeviceBatch batch, long began, long waitNanos, boolean last) throws IOException {
        pending.settle();
        EvaluationResult result = step.evaluate(batch);
        batch.endUse();
        EvaluationTally tally = figures.evaluation();
        tally.add(result);
        if (last) {
            tally.end(result.correct() >= 0, replicas);
            logs.evaluated(batch.step(), tally.loss(), tally.accuracy());
        }
        long evaluated = System.nanoTime();
        trace.evaluated(began, evaluated);
        figures.evaluated(evaluated - began, waitNanos);
    }

    /** Copies the state from which training can continue. The caller closes the model in the result. */
    TrainerSnapshot snapshot() throws IOException {
        long began = System.nanoTime();
        pending.settle();
        TrainerSnapshot copied = new TrainerSnapshot(step.snapshot(), figures.state(), logs.flush());
        trace.copied(began, System.nanoTime());
        return copied;
    }

    /** Writes the model, with the state from which training can continue, and returns the report. */
    TrainReport end(TrainingOutcome ending, TaskProgress task) throws IOException {
        pending.settle();
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
            step.close();
        }
    }
}
