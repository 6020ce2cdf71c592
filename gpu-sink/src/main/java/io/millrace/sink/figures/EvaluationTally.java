package io.millrace.sink.figures;

import io.millrace.exchange.Replicas;
import io.millrace.train.TrainStep.EvaluationResult;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sums over the batches of an evaluation, and the result of the latest complete evaluation. Only the trainer's
 * thread calls it.
 */
public final class EvaluationTally {
    private double lossSum;
    private long correct;
    private long counted;
    private long rows;
    private @Nullable Double loss;
    private @Nullable Double accuracy;

    EvaluationTally() {}

    /** Continues from a checkpoint. */
    EvaluationTally(TrainerState from) {
        TrainerState.Evaluation evaluation = from.evaluation();
        lossSum = evaluation.evaluationLossSum();
        correct = evaluation.evaluationCorrect();
        counted = evaluation.evaluationCounted();
        rows = evaluation.evaluationRows();
        loss = evaluation.evaluationLoss();
        accuracy = evaluation.accuracy();
    }

    /** Returns the state for a checkpoint. */
    TrainerState.Evaluation state() {
        return new TrainerState.Evaluation(lossSum, correct, counted, rows, loss, accuracy);
    }

    public void add(EvaluationResult result) {
        lossSum += result.lossSum();
        correct += Math.max(0, result.correct());
        counted += result.counted();
        rows += result.rows();
    }

    /**
     * Ends an evaluation after its last batch.
     *
     * @param classes whether the model predicts classes, so that predictions can be right or wrong
     * @param replicas the replicas of this model, whose results on their rows of the evaluation set are added; null
     *     when the model is this rank's own
     */
    public void end(boolean classes, @Nullable Replicas replicas) throws IOException {
        boolean hasClasses = replicas == null ? classes : sumOver(replicas, classes);
        boolean any = rows > 0 && !Double.isNaN(lossSum);
        loss = any ? Double.valueOf(lossSum / rows) : null;
        accuracy = any && hasClasses && counted > 0 ? Double.valueOf((double) correct / counted) : null;
        lossSum = 0;
        correct = 0;
        counted = 0;
        rows = 0;
    }

    private boolean sumOver(Replicas replicas, boolean classes) throws IOException {
        List<long[]> all =
                replicas.gather(Double.doubleToRawLongBits(lossSum), correct, counted, rows, classes ? 1 : 0);
        lossSum = all.stream()
                .mapToDouble(values -> Double.longBitsToDouble(values[0]))
                .sum();
        correct = sum(all, 1);
        counted = sum(all, 2);
        rows = sum(all, 3);
        return all.stream().allMatch(values -> values[4] == 1);
    }

    private static long sum(List<long[]> all, int value) {
        return all.stream().mapToLong(values -> values[value]).sum();
    }

    /**
     * Returns the mean loss of the latest complete evaluation; null before the first, and for a model without a loss.
     */
    @Nullable
    public Double loss() {
        return loss;
    }

    /**
     * Returns the accuracy of the latest complete evaluation, 0 to 1; null before the first, and for a model without
     * classes.
     */
    @Nullable
    public Double accuracy() {
        return accuracy;
    }
}
