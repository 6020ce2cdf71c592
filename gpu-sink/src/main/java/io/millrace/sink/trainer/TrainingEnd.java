package io.millrace.sink.trainer;

import io.millrace.order.RankPlan;
import io.millrace.sink.figures.DeviceFigures;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.rows.RowIntake;
import io.millrace.sink.task.TrainerMailbox;
import java.io.IOException;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.flink.util.function.ThrowingConsumer;

/**
 * The end of a rank's training: the trainer writes its model, and its thread stops.
 *
 * <p>A model is written when the input ends, and when the job is stopped with a savepoint. A task that is cancelled or
 * fails writes no model, because another task may soon continue from a checkpoint. Only the task's thread calls it.
 */
final class TrainingEnd {
    private final TrainerMailbox mailbox;
    private final RowIntake intake;
    private final TrainerThread trainer;
    private final TaskFigures figures;
    private boolean finished;

    TrainingEnd(TrainerMailbox mailbox, RowIntake intake, TrainerThread trainer, TaskFigures figures) {
        this.mailbox = mailbox;
        this.intake = intake;
        this.trainer = trainer;
        this.figures = figures;
    }

    /**
     * Finishes the training at the end of the input: waits until all batches are trained on and the model is written.
     */
    void finish(RankPlan plan) throws Exception {
        mailbox.waitUntil(() -> !intake.isInTraining());
        intake.requireAll(plan);
        Future<TrainReport> report = trainer.finish(TrainingOutcome.FINISHED, figures.progress());
        mailbox.waitUntil(report::isDone);
        finished = true;
    }

    /**
     * Stops the trainer's thread.
     *
     * @param cancelled whether Flink ends the task early, because the job is cancelled or something else failed
     * @param device returns the figures of the device in this attempt
     * @param reported receives the report, if the trainer has one
     */
    void close(boolean cancelled, Supplier<DeviceFigures> device, ThrowingConsumer<TrainReport, IOException> reported)
            throws Exception {
        Throwable failure = mailbox.failure();
        boolean aborted = failure != null || cancelled;
        TrainReport trained;
        try {
            if (!finished && !aborted) {
                mailbox.await(trainer.finish(TrainingOutcome.STOPPED, figures.progress()));
            }
        } finally {
            trained = trainer.stop();
        }
        if (!aborted || failure != null) {
            intake.quarantine().write();
        }
        if (trained != null) {
            reported.accept(trained.withTask(figures.counters(), device.get()));
        }
    }
}
