package io.millrace.sink;

import io.millrace.order.BatchPlan;
import io.millrace.trace.Trace;
import io.millrace.trace.Track;
import io.millrace.train.state.ModelState;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of a rank's training.
 *
 * <p>Flink delivers checkpoint barriers between two records, aligned or not, and not while the operator waits within a
 * record (their mails have the lowest priority, below any operator's). Such a wait ends when the trainer is done with
 * one batch. Before the operator passes the barrier on, the trainer finishes the complete batches; with replicas, all
 * stop behind the same batch, and later complete batches are part of the checkpoint. Then the trainer's thread copies
 * its model while the task's thread copies the waiting rows. Flink writes the copies while the training continues. The
 * task's thread alone calls.
 */
final class TrainCheckpoints implements AutoCloseable {
    private final BatchPlan plan;
    private final Path folder;
    private final TrainerMailbox mailbox;
    private final RowIntake intake;
    private final TrainerThread trainer;
    private final @Nullable ReplicaBarrier replicas;
    private final TaskFigures figures;
    private final ModelCopies copies = new ModelCopies();
    private long drainNanos;

    TrainCheckpoints(
            SinkSpec spec,
            TrainerMailbox mailbox,
            RowIntake intake,
            TrainerThread trainer,
            @Nullable ReplicaBarrier replicas,
            TaskFigures figures) {
        this.plan = spec.run().plan();
        this.folder = Path.of(spec.run().folder());
        this.mailbox = mailbox;
        this.intake = intake;
        this.trainer = trainer;
        this.replicas = replicas;
        this.figures = figures;
    }

    /** Brings the trainer to a batch boundary, so that the checkpoint holds no batch in training. */
    void prepare(long checkpoint) throws Exception {
        long began = System.nanoTime();
        ReplicaBarrier others = replicas;
        if (others == null) {
            mailbox.waitUntil(() -> !intake.isInTraining());
        } else {
            trainer.pause(checkpoint);
            mailbox.waitUntil(() -> others.isPausedFor(checkpoint));
        }
        long ended = System.nanoTime();
        drainNanos = ended - began;
        trace("checkpoint: finish complete batches", began, ended);
    }

    /** Copies the state; the model's copy stays in memory until Flink reports the outcome of the checkpoint. */
    RestoredState copy(long checkpoint) throws Exception {
        long began = System.nanoTime();
        Future<TrainerSnapshot> pending = trainer.copy();
        List<byte[]> rows = intake.waiting();
        TrainerSnapshot snapshot = mailbox.await(pending);
        ModelState model = copies.keep(checkpoint, snapshot.model());
        List<byte[]> quarantine = intake.quarantine().pieces();
        long ended = System.nanoTime();
        figures.addCheckpoint(model.bytes() + bytes(rows) + bytes(quarantine), drainNanos, ended - began);
        trace("checkpoint: take the state", began, ended);
        Progress progress = Progress.of(plan, folder, figures.progress(), snapshot);
        return new RestoredState(progress, quarantine, rows, model.chunks());
    }

    private static void trace(String name, long began, long ended) {
        Track track = Trace.track();
        if (track != null) {
            track.addRare(name, began, ended);
        }
    }

    private static long bytes(List<byte[]> pieces) {
        return pieces.stream().mapToLong(piece -> piece.length).sum();
    }

    /** Lets replicas continue after a checkpoint, whether it succeeded or was aborted. */
    void resume(long checkpoint) {
        if (replicas != null) {
            replicas.resumed(checkpoint);
            trainer.resume(checkpoint);
        }
    }

    /** Frees the model's copy: Flink has written the checkpoint or given it up. */
    void release(long checkpoint) {
        copies.release(checkpoint);
    }

    /** Frees all copies. */
    @Override
    public void close() {
        copies.close();
    }
}
