package io.millrace.sink.figures;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

/**
 * The state of a trainer in a checkpoint, apart from its model. In JSON, the values of all parts are keys of one
 * object, without the names of the parts.
 *
 * @param counters the counters of the trainer
 * @param loss the training loss of the epoch that is being trained
 * @param evaluation the evaluations
 * @param epochs the epochs
 * @param clock the clock of the training time
 */
public record TrainerState(
        @JsonUnwrapped TrainerCounters counters,
        @JsonUnwrapped Loss loss,
        @JsonUnwrapped Evaluation evaluation,
        EpochTally.State epochs,
        RunClock.State clock) {

    /** The state of the epochs before the first step. */
    public static final EpochTally.State WITHOUT_EPOCHS = EpochTally.State.NONE;

    /**
     * The training loss of an epoch.
     *
     * @param lossEpoch the epoch, from 0; -1 before the first
     * @param lossSum the sum of the losses of its rows
     * @param lossRows the number of these rows
     */
    public record Loss(int lossEpoch, double lossSum, long lossRows) {
        /** The loss before the first epoch. */
        static final Loss NONE = new Loss(-1, 0, 0);

        /** Returns this loss plus the loss of a batch. A batch of another epoch begins a new sum. */
        Loss plus(int epoch, double batchLoss, long rows) {
            Loss before = epoch == lossEpoch ? this : new Loss(epoch, 0, 0);
            return Double.isNaN(batchLoss)
                    ? before
                    : new Loss(epoch, before.lossSum + batchLoss * rows, before.lossRows + rows);
        }

        /** Returns the mean over the rows; null when there are none. */
        @Nullable
        Double mean() {
            return lossRows == 0 ? null : Double.valueOf(lossSum / lossRows);
        }
    }

    /**
     * The evaluation in progress, and the result of the latest complete evaluation.
     *
     * @param evaluationLossSum the sum of the losses of the rows so far
     * @param evaluationCorrect the rows so far whose class was recognized
     * @param evaluationCounted the rows so far that have a class
     * @param evaluationRows the rows so far
     * @param evaluationLoss the mean loss of the latest complete evaluation; null before the first
     * @param accuracy the accuracy of the latest complete evaluation, 0 to 1; null before the first
     */
    public record Evaluation(
            double evaluationLossSum,
            long evaluationCorrect,
            long evaluationCounted,
            long evaluationRows,
            @Nullable Double evaluationLoss,
            @Nullable Double accuracy) {}

    /** Returns the state at the beginning of another run that continues this run. */
    public TrainerState inAnotherRun() {
        return new TrainerState(counters.inAnotherRun(), loss, evaluation, epochs, clock.inAnotherRun());
    }
}
