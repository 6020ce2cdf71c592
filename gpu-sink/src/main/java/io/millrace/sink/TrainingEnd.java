package io.millrace.sink;

import io.millrace.exchange.RankGoneException;
import io.millrace.order.RankPlan;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.util.ExceptionUtils;
import org.jspecify.annotations.Nullable;

/**
 * The end of a rank's training: the trainer writes its model, its thread stops, and the report is handed over.
 *
 * <p>A model is written when the input ends, and when the job is stopped with a savepoint. A task that is cancelled or
 * fails writes no model, because another task may soon continue from a checkpoint. Only the task's thread calls it.
 */
final class TrainingEnd {
    private final SinkSpec spec;
    private final int rank;
    private final TrainerMailbox mailbox;
    private final RowIntake intake;
    private final TrainerThread trainer;
    private final TaskFigures figures;
    private boolean finished;

    TrainingEnd(
            SinkSpec spec,
            int rank,
            TrainerMailbox mailbox,
            RowIntake intake,
            TrainerThread trainer,
            TaskFigures figures) {
        this.spec = spec;
        this.rank = rank;
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
     * Stops the trainer's thread and reports.
     *
     * @param cancelled whether Flink ends the task early, because the job is cancelled or something else failed
     * @param device returns the figures of the device in this attempt
     * @param accumulator receives the report for the client
     */
    void close(boolean cancelled, Supplier<DeviceFigures> device, Consumer<ReportAccumulator> accumulator)
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
            TrainReport report = trained.withTask(figures.counters(), device.get());
            ReportAccumulator accumulated = new ReportAccumulator();
            accumulated.add(new TrainReports(List.of(new TrainReports.Ranked(rank, report))));
            accumulator.accept(accumulated);
            if (!isEndedByOthers(aborted, failure)) {
                spec.observers().target().ended(rank, report, failure);
            }
        }
    }

    /**
     * Returns whether the task was ended because of another task. Such a task is restarted, so its run has not ended.
     * Ranks that are still alive report the failure.
     */
    static boolean isEndedByOthers(boolean aborted, @Nullable Throwable failure) {
        return failure == null
                ? aborted
                : ExceptionUtils.findThrowable(failure, RankGoneException.class).isPresent();
    }
}
