package io.millrace.sink;

import org.jspecify.annotations.Nullable;

/**
 * The trainer's figures in a checkpoint, named as in {@link TrainReport}; what they count is the history that is kept,
 * not steps that a failure undid.
 *
 * @param lossEpoch the epoch that the loss is summed over, -1 before the first
 * @param evaluationLossSum of the evaluation that is under way; the counts beside it likewise
 * @param earlierSteps of the steps, those in the runs that this one goes on from; samples likewise
 * @param evaluationLoss of the latest whole evaluation; null before the first
 */
record TrainerState(
        long steps,
        long samples,
        long sentBytes,
        long firstStepAtMillis,
        long starvedNanos,
        long transferNanos,
        long stepNanos,
        long evaluationNanos,
        long cpuNanos,
        int lossEpoch,
        double lossSum,
        long lossRows,
        double evaluationLossSum,
        long evaluationCorrect,
        long evaluationCounted,
        long evaluationRows,
        @Nullable Double evaluationLoss,
        @Nullable Double accuracy,
        RunClock.State clock,
        long earlierSteps,
        long earlierSamples) {
    /** What a run of its own begins with that goes on from this: its first step is still to come. */
    TrainerState inAnotherRun() {
        return new TrainerState(
                steps,
                samples,
                sentBytes,
                -1,
                starvedNanos,
                transferNanos,
                stepNanos,
                evaluationNanos,
                cpuNanos,
                lossEpoch,
                lossSum,
                lossRows,
                evaluationLossSum,
                evaluationCorrect,
                evaluationCounted,
                evaluationRows,
                evaluationLoss,
                accuracy,
                clock,
                steps,
                samples);
    }
}
