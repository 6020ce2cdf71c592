package io.millrace.sink;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

/**
 * The state of a trainer in a checkpoint, apart from its model. In JSON all values lie side by side, without the names
 * of the parts.
 *
 * @param counters what the trainer counted
 * @param loss the training loss of the epoch that is being trained
 * @param evaluation the evaluations
 * @param clock the time that training took
 */
record TrainerState(
        @JsonUnwrapped TrainerCounters counters,
        @JsonUnwrapped Loss loss,
        @JsonUnwrapped Evaluation evaluation,
        RunClock.State clock) {

    /**
     * The training loss of an epoch.
     *
     * @param lossEpoch the epoch, from 0; -1 before the first
     * @param lossSum the sum of the losses of its rows
     * @param lossRows the number of these rows
     */
    record Loss(int lossEpoch, double lossSum, long lossRows) {
        /** No epoch has begun. */
        static final Loss NONE = new Loss(-1, 0, 0);

        /** Returns this loss with that of a batch; a batch of another epoch begins a new sum. */
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
     * The evaluation that is in progress, and the result of the latest whole one.
     *
     * @param evaluationLossSum the sum of the losses of the rows so far
     * @param evaluationCorrect the rows so far whose class was recognized
     * @param evaluationCounted the rows so far that have a class
     * @param evaluationRows the rows so far
     * @param evaluationLoss the mean loss of the latest whole evaluation; null before the first
     * @param accuracy the accuracy of the latest whole evaluation, 0 to 1; null before the first
     */
    record Evaluation(
            double evaluationLossSum,
            long evaluationCorrect,
            long evaluationCounted,
            long evaluationRows,
            @Nullable Double evaluationLoss,
            @Nullable Double accuracy) {}

    /** Returns the state with which another run begins that continues this one. */
    TrainerState inAnotherRun() {
        return new TrainerState(counters.inAnotherRun(), loss, evaluation, clock);
    }
}
