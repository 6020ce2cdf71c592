package io.millrace.sink.trainer;

import io.millrace.order.BatchPlan;
import io.millrace.sink.progress.Progress;
import io.millrace.sink.progress.RestoredState;
import io.millrace.sink.progress.TrainerSnapshot;
import io.millrace.sink.rows.RowIntake;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.task.TrainerMailbox;
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
 * <p>Flink delivers checkpoint barriers, aligned or not, only between two records. It delivers none while the operator
 * waits within a record, because the mails of barriers have a lower priority than those of any operator. Such a wait
 * ends when the trainer is done with one batch. Before the operator passes the barrier on, the trainer finishes the
 * complete batches. With replicas, all ranks stop after the same batch, and later complete batches become part of the
 * checkpoint. Then the trainer's thread copies its model while the task's thread copies the waiting rows. Flink writes
 * the copies while the training continues. Only the task's thread calls it.
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

    /** The checkpoint that Flink stores now, and the time at which its state had been copied. */
    private long storing = -1;

    private long storingSinceNanos;

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

    /** Waits until no batch is in training, because a checkpoint cannot store such a batch. */
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
        Long copied = snapshot.copyNanos();
        storing = checkpoint;
        storingSinceNanos = ended;
        figures.addCheckpoint(
                model.bytes() + bytes(rows) + bytes(quarantine), drainNanos, copied == null ? ended - began : copied);
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

    /** Frees the model's copy after Flink has completed or aborted the checkpoint. */
    void release(long checkpoint) {
        if (checkpoint == storing) {
            figures.addCheckpointWrite(System.nanoTime() - storingSinceNanos);
            storing = -1;
        }
        copies.release(checkpoint);
    }

    /** Frees all copies. */
    @Override
    public void close() {
        copies.close();
    }
}
