package io.millrace.sink.deliver;

import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.sample.Split;
import io.millrace.sink.figures.ColumnBytes;
import io.millrace.sink.figures.SnapshotCost;
import io.millrace.sink.figures.TaskCounters;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainedBatch;
import io.millrace.sink.figures.TrainerMetrics;
import io.millrace.sink.figures.TrainerTally;
import io.millrace.sink.figures.TrainerTally.StepTime;
import io.millrace.sink.files.UnwritableException;
import io.millrace.sink.progress.Progress;
import io.millrace.sink.progress.Restarts;
import io.millrace.sink.progress.RunLogs;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.train.TrainStep.StepResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a client's training loop: of each delivered batch, the time for which the loop waited for it, and the time
 * until it asked for the next one. They cover all attempts of the task: they are saved about once a second. Only the task's
 * thread calls it.
 */
final class DeliveredSteps implements AutoCloseable {
    private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The largest number of steps that a client may have done without a report, about those of a minute. */
    private static final long MOST_UNREPORTED = 1 << 20;

    private final String run;
    private final Path folder;
    private final RankPlan plan;
    private final TrainerMetrics metrics;
    private final TrainerTally tally;
    private final RunLogs logs;
    private final Restarts restarts;
    private final boolean resumed;

    /** The batches that the client has received and whose steps it has not reported yet. */
    private final ArrayDeque<Delivered> delivered = new ArrayDeque<>();

    /** A batch, and the number of its rows that are quarantined. */
    private record Delivered(TrainedBatch batch, int quarantined) {}

    /** The step that the client's loop does next; -1 before the first client has asked for a step. */
    private long next = -1;

    private long quarantinedRows;
    private long assembleNanos;
    private boolean done;

    /** Whether the next wait is that of a start or a seek, which is no starvation. */
    private boolean first = true;

    private boolean changed;
    private long savedAtNanos = System.nanoTime();

    private DeliveredSteps(
            TrainerMetrics metrics,
            String run,
            SinkSpec spec,
            RankPlan plan,
            TrainerTally tally,
            RunLogs logs,
            Restarts restarts,
            Optional<DeliveredState> from) {
        this.metrics = metrics;
        this.run = run;
        this.folder = Path.of(spec.run().folder());
        this.plan = plan;
        this.tally = tally;
        this.logs = logs;
        this.restarts = restarts;
        this.resumed = from.isPresent();
        from.ifPresent(state -> {
            next = state.progress().nextBatch();
            quarantinedRows = state.progress().quarantinedRows();
            assembleNanos = state.progress().assembleNanos();
            done = state.done();
        });
    }

    /**
     * Opens the figures and the run's files, and continues with what an earlier attempt has saved.
     *
     * @param spec the specification as the rank sees it
     * @param run the id of the delivery
     * @param attempt the number of the task's attempt, from 0
     */
    static DeliveredSteps open(SinkSpec spec, String run, RankPlan plan, TrainerMetrics metrics, int attempt)
            throws IOException {
        Path folder = Path.of(spec.run().folder());
        Optional<DeliveredState> from = DeliveredState.read(folder, run);
        BatchPlan batches = spec.run().plan();
        if (from.isEmpty()) {
            TrainerTally tally = TrainerTally.ofClient(metrics, batches, Optional.empty());
            return new DeliveredSteps(metrics, run, spec, plan, tally, RunLogs.begin(spec), Restarts.of(attempt), from);
        }
        Progress progress = from.get().progress();
        return new DeliveredSteps(
                metrics,
                run,
                spec,
                plan,
                TrainerTally.ofClient(metrics, batches, Optional.of(progress.trainer())),
                RunLogs.resume(spec, progress),
                Restarts.of(attempt, progress, folder),
                from);
    }

    /** Returns whether an earlier attempt has saved figures. */
    boolean isResumed() {
        return resumed;
    }

    /**
     * Begins with another step that the client asks for: the batches that it has received and not reported do not
     * count. If it continues after it lost its connection, the steps before that one count, because only their reports
     * are lost. Their times are not known.
     */
    void seek(long step, RankAgreement.Origin origin) throws UnwritableException {
        if (origin == RankAgreement.Origin.CONTINUED && next >= 0 && step - next <= MOST_UNREPORTED) {
            for (; next < step; next++) {
                countUnreported();
            }
            tally.publish();
        }
        next = step;
        delivered.clear();
        first = true;
        done = false;
        changed = true;
        save();
    }

    private void countUnreported() {
        Delivered known = delivered.peek();
        if (known != null && known.batch.step() == next) {
            delivered.remove();
            quarantinedRows += known.quarantined;
            tally.trainedUnseen(known.batch);
        } else {
            BatchPlan.Batch planned = plan.batch(next);
            tally.trainedUnseen(new TrainedBatch(
                    planned.step(), planned.epoch(), planned.rows(), ColumnBytes.NONE, planned.last()));
        }
    }

    /** Adds the time of the device transforms of a batch in the sink. */
    void transformed(long nanos) {
        tally.transformed(nanos);
    }

    /**
     * Adds the time for which the task has put rows into batches.
     *
     * @param quarantined the number of distinct bad samples
     */
    void assembled(long nanos, long quarantined) {
        assembleNanos += nanos;
        metrics.task = counters(quarantined);
    }

    private TaskCounters counters(long quarantined) {
        return new TaskCounters(quarantined, quarantinedRows, assembleNanos, restarts.all(), SnapshotCost.NONE);
    }

    /** Records a batch that was sent to the client. */
    void sent(TrainedBatch batch, BatchPlan.Batch planned) {
        delivered.add(new Delivered(batch, planned.rows() - batch.rows()));
    }

    /**
     * Records a step that the client's loop has done.
     *
     * @return false when this is not the step of the oldest batch without a report
     */
    boolean stepped(long step, long waitNanos, long busyNanos) throws UnwritableException {
        Delivered oldest = delivered.peek();
        if (oldest == null || oldest.batch.step() != step) {
            return false;
        }
        delivered.remove();
        StepResult result = new StepResult(Double.NaN, 0, busyNanos);
        logs.trained(oldest.batch, result, waitNanos);
        if (isLeftOut(oldest.batch)) {
            tally.trainedUnseen(oldest.batch);
        } else {
            long starved = first ? 0 : waitNanos;
            if (!first) {
                tally.waited(Split.TRAIN, waitNanos);
            }
            tally.trained(oldest.batch, result, StepTime.of(result, busyNanos + starved, starved));
            first = false;
        }
        tally.publish();
        next = step + 1;
        quarantinedRows += oldest.quarantined;
        changed = true;
        if (System.nanoTime() - savedAtNanos > SAVE_NANOS) {
            save();
        }
        return true;
    }

    /** Returns whether the client leaves out a step: the only rank has no sample to train on. The wait goes on. */
    private boolean isLeftOut(TrainedBatch batch) {
        return batch.rows() == 0 && plan.rankRows().ranks() == 1;
    }

    /** Records that the client needs no more batches. */
    void done() throws UnwritableException {
        done = true;
        changed = true;
        save();
    }

    /** Returns whether the client needs no more batches. */
    boolean isDone() {
        return done;
    }

    /** Returns whether the client has no batch whose step it has not reported. */
    boolean allDone() {
        return delivered.isEmpty();
    }

    /** Returns the oldest batch whose step was not reported; null when there is none. */
    @Nullable
    TrainedBatch oldest() {
        Delivered oldest = delivered.peek();
        return oldest == null ? null : oldest.batch;
    }

    /** Saves the figures for a later attempt if they have changed. */
    void save() throws UnwritableException {
        if (!changed) {
            return;
        }
        changed = false;
        savedAtNanos = System.nanoTime();
        BatchPlan batches = plan.rankRows().plan();
        Progress progress = new Progress(
                Progress.VERSION,
                next,
                next == batches.batches()
                        ? batches.positions()
                        : batches.batch(next).firstPosition(),
                folder.toAbsolutePath().toString(),
                logs.flush(),
                restarts.all(),
                restarts.earlier(),
                quarantinedRows,
                assembleNanos,
                SnapshotCost.NONE,
                tally.state());
        new DeliveredState(run, progress, done).write(folder);
    }

    /**
     * Returns the report of the run.
     *
     * @param quarantined the number of distinct bad samples
     */
    TrainReport report(long quarantined) {
        tally.publish();
        return tally.report(done && delivered.isEmpty(), null, 0).withTask(counters(quarantined), null);
    }

    @Override
    public void close() throws UnwritableException {
        try (logs) {
            save();
        }
    }
}
