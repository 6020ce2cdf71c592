package io.millrace.sink.trainer;

import io.millrace.batch.MicroBatch;
import io.millrace.device.DeviceBatch;
import io.millrace.device.SuspectedMemoryException;
import io.millrace.exchange.RankAddresses;
import io.millrace.lifecycle.Handles;
import io.millrace.order.RankPlan;
import io.millrace.sink.figures.SnapshotCost;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainerMetrics;
import io.millrace.sink.files.QuarantineLog;
import io.millrace.sink.progress.Restarts;
import io.millrace.sink.progress.RestoredState;
import io.millrace.sink.rows.BatchRing;
import io.millrace.sink.rows.RowIntake;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.task.TrainerMailbox;
import io.millrace.sink.task.UnrecoverableFailures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.function.ThrowingConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The training of one rank in its task: its device, its ring of batches, the trainer's thread and, with replicas, the
 * barrier that all ranks share. It is opened with {@link #open}, then {@link #restore restored} and {@link #start
 * started}. Only the task's thread calls it.
 *
 * <p>Tested by {@code TrainOperatorTest}.
 */
final class RankTraining {
    private final SinkSpec spec;
    private final int rank;
    private final RankPlan plan;
    private final TrainerMailbox mailbox;
    private final TrainingDevice device;
    private final RowIntake intake;
    private final long firstBatch;
    private final TrainerMetrics metrics = new TrainerMetrics();
    private final Handles handles;
    private @Nullable ReplicaBarrier replicas;
    private @Nullable Started started;
    private boolean closed;

    /** The parts that exist once the trainer's thread has been started. */
    private record Started(
            TrainerThread thread,
            BackPressure backPressure,
            TaskFigures figures,
            TrainCheckpoints checkpoints,
            TrainingEnd end) {}

    private RankTraining(
            SinkSpec spec,
            int rank,
            TrainerMailbox mailbox,
            TrainingDevice device,
            QuarantineLog quarantine,
            long firstBatch,
            Handles handles) {
        this.spec = spec;
        this.rank = rank;
        this.plan = spec.train().trainers().plan(rank);
        this.mailbox = mailbox;
        this.device = device;
        this.firstBatch = firstBatch;
        this.handles = handles;
        BatchRing ring = new BatchRing(
                device.device(),
                plan,
                spec.train().spec().data().input(),
                spec.device().batchesInFlight(),
                firstBatch);
        this.intake = handles.add(new RowIntake(spec, ring, quarantine, this::submit));
    }

    /**
     * Opens the device and allocates the batches.
     *
     * @param spec the specification as this rank sees it
     * @param gpus the numbers of the GPUs that Flink assigned to the task; empty when it assigned none
     * @param firstBatch the number of the first batch to train on
     * @param devices receives the device for the client once it is open, also when something fails after that
     */
    static RankTraining open(
            SinkSpec spec,
            int rank,
            TrainerMailbox mailbox,
            List<String> gpus,
            long firstBatch,
            Consumer<TrainingDevice.Opened> devices)
            throws IOException {
        QuarantineLog quarantine = new QuarantineLog(
                Path.of(spec.run().folder()),
                spec.run().maxQuarantined(),
                spec.run().samples(),
                spec.run().sources());
        Handles opened = new Handles();
        return opened.closeOnFailure(() -> {
            TrainingDevice device = opened.add(TrainingDevice.open(spec.device().device(), rank, gpus));
            devices.accept(device.opened(spec.train().spec().tuning()));
            return new RankTraining(spec, rank, mailbox, device, quarantine, firstBatch, opened);
        });
    }

    /**
     * Restores the state of the task's thread: waiting rows, bad samples and counts.
     *
     * @param attempt the number of the task's attempt, from 0
     * @param from the state to continue from; null for a new run
     * @return the figures to start with
     */
    TaskFigures restore(int attempt, @Nullable RestoredState from) throws IOException {
        Restarts restarts = Restarts.of(attempt);
        SnapshotCost checkpoints = SnapshotCost.NONE;
        if (from != null) {
            restarts = Restarts.of(attempt, from.progress(), Path.of(spec.run().folder()));
            checkpoints = from.progress().checkpoints();
            intake.restore(from);
        }
        intake.quarantine().write();
        return new TaskFigures(metrics, intake, restarts, checkpoints);
    }

    /** Returns the failure to report for a failure of the trainer. */
    Throwable judge(Throwable failure, MemorySuspicions suspicions) {
        return failure instanceof SuspectedMemoryException suspected
                ? suspicions.judge(suspected, intake.oldest(), device.device())
                : failure;
    }

    /** Registers the rank's metrics with Flink. */
    void register(MetricGroup group) {
        metrics.register(group, spec.run().shares());
        device.register(group);
    }

    /**
     * Starts the trainer's thread, and submits the batches that are complete already.
     *
     * @param figures the figures of the task's thread, as {@link #restore} returned them
     * @param from the state that the model continues from; null for a new run
     * @param others the barrier of the replicas, of which this takes ownership; null when this rank has a model of its
     *     own
     */
    void start(TaskFigures figures, @Nullable RestoredState from, @Nullable ReplicaBarrier others) {
        replicas = others;
        BackPressure backPressure = new BackPressure(mailbox, intake, others);
        figures.publish(backPressure);
        ReplicaRendezvous rendezvous = others == null ? null : others.rendezvous();
        TrainerThread thread = new TrainerThread(
                "millrace-trainer-" + rank,
                firstBatch,
                () -> Trainer.open(spec, device.device(), metrics, from, rendezvous),
                new TrainerEvents(mailbox, this::trained, others));
        started = new Started(
                thread,
                backPressure,
                figures,
                new TrainCheckpoints(spec, mailbox, intake, thread, others, figures),
                new TrainingEnd(mailbox, intake, thread, figures));
        thread.start();
        intake.submitComplete();
    }

    private void submit(DeviceBatch complete) {
        if (replicas == null) {
            complete.seal(); // with replicas the trainer's thread seals it, when all ranks agree on it
        }
        started().thread.submit(complete);
    }

    /** Handles the end of the trainer's work on a batch. */
    private void trained() throws Exception {
        if (!closed) {
            try {
                intake.trained();
            } catch (Exception e) {
                throw UnrecoverableFailures.translate(e);
            }
        }
    }

    /** Passes the addresses of all ranks on to the trainer's thread. */
    void setAddresses(RankAddresses all) {
        if (replicas != null) {
            replicas.setAddresses(all);
        }
    }

    /** Accepts a micro-batch, and waits while there is back pressure. Takes ownership of the micro-batch. */
    void accept(MicroBatch microBatch) throws Exception {
        try {
            intake.accept(microBatch);
        } catch (Exception e) {
            throw UnrecoverableFailures.translate(e);
        }
        started().backPressure.await();
        publish();
    }

    /** Updates the metrics of the task's thread. */
    void publish() {
        started().figures.publish(started().backPressure);
    }

    /** Writes the list of bad samples if it has changed. */
    void writeQuarantine() throws IOException {
        intake.quarantine().write();
    }

    TrainCheckpoints checkpoints() {
        return started().checkpoints;
    }

    /** Finishes the training at the end of the input. */
    void finish() throws Exception {
        started().end.finish(plan);
    }

    private Started started() {
        Started parts = started;
        if (parts == null) {
            throw new IllegalStateException("the training has not been started");
        }
        return parts;
    }

    /**
     * Ends the training and closes everything; see {@link TrainingEnd#close}. Closing again does nothing.
     *
     * @param cancelled whether Flink ends the task early
     * @param reported receives the report, if there is one
     */
    void close(boolean cancelled, ThrowingConsumer<TrainReport, IOException> reported) throws Exception {
        if (closed) {
            return;
        }
        closed = true;
        Started parts = started;
        try (handles) {
            if (replicas != null) {
                handles.add(replicas).close(); // ends the trainer's wait for the others
            }
            if (parts != null) {
                handles.add(parts.checkpoints);
                parts.end.close(
                        cancelled,
                        () -> device.figures(spec.train().spec().tuning(), parts.backPressure.waitNanos()),
                        reported);
            }
        }
    }
}
