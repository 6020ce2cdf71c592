package io.millrace.sink;

import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.exchange.Replicas;
import io.millrace.order.BatchPlan;
import io.millrace.sample.Split;
import io.millrace.train.PendingStep;
import io.millrace.train.TrainStep.EvaluationResult;
import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.TrainStep;
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
 * The trainer's side of a run: trains and evaluates on the batches that it is given, in their order. All methods are called from the trainer's one thread.
 */
final class Trainer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Trainer.class);

    private final BatchPlan plan;
    private final TrainStep step;
    private final RunLogs logs;
    private final Path folder;
    private final TrainerTally figures;
    private final TrainerTrace trace = new TrainerTrace();
    private final PendingSteps underWay = new PendingSteps(this::done);
    private boolean begun;
    private @Nullable Replicas replicas;

    /** Takes ownership of the step and the logs, which are where they were at the figures. */
    private Trainer(SinkSpec spec, TrainStep step, RunLogs logs, TrainerTally figures) {
        this.plan = spec.plan();
        this.step = step;
        this.logs = logs;
        this.folder = Path.of(spec.folder());
        this.figures = figures;
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
            SinkSpec spec,
            Device device,
            TrainerMetrics metrics,
            @Nullable RestoredState from,
            @Nullable ReplicaRendezvous seat)
            throws Exception {
        long stepsPerEpoch = spec.plan().stepsPerEpoch();
        TrainStep step =
                spec.opener().open(spec.train(), spec.trainers().split().batch(), device);
        try {
            if (from == null) {
                TrainerTally figures = new TrainerTally(metrics, stepsPerEpoch);
                return new Trainer(spec, step, RunLogs.begin(spec), figures).joined(seat);
            }
            step.restore(from.model());
            from.model().forEach(StateChunk::close);
            Progress progress = from.progress();
            RunLogs logs = RunLogs.resume(spec, progress);
            TrainerState state = progress.isOf(Path.of(spec.folder()))
                    ? progress.trainer()
                    : progress.trainer().inAnotherRun();
            TrainerTally figures = new TrainerTally(metrics, stepsPerEpoch, state);
            return new Trainer(spec, step, logs, figures).joined(seat);
        } catch (Exception e) {
            step.close();
            throw e;
        }
    }

    /** Joins the replicas, which must have equal models. */
    private Trainer joined(@Nullable ReplicaRendezvous seat) throws Exception {
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
        PendingStep asked = step.ask(batch);
        batch.endUse();
        logs.asked(batch);
        underWay.add(TrainedBatch.of(batch), asked, began, waitNanos);
        long starved = begun ? waitNanos : 0; // before the first batch all is start-up
        figures.enqueued(batch, starved + System.nanoTime() - began, starved, last);
    }

    /** A step's result is there, perhaps later than the next was asked for. */
    private void done(TrainedBatch batch, StepResult result, long began, long waitNanos) throws IOException {
        logs.trained(batch, result, waitNanos);
        if (batch.rows() > 0) {
            trace.trained(began, result);
        }
        figures.trained(batch, result);
    }

    private void evaluate(DeviceBatch batch, long began, long waitNanos, boolean last) throws IOException {
        underWay.settle();
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

    /** Copies all that it takes to go on from here; the caller closes the model's part. */
    TrainerSnapshot snapshot() throws IOException {
        long began = System.nanoTime();
        underWay.settle();
        TrainerSnapshot copied = new TrainerSnapshot(step.snapshot(), figures.state(), logs.flush());
        trace.copied(began, System.nanoTime());
        return copied;
    }

    /** Writes the model, with what it takes to go on, and tells what was done. */
    TrainReport end(TrainingOutcome ending, TaskProgress task) throws IOException {
        underWay.settle();
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

    /** What was done so far, of a training that was broken off. */
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
