package io.millrace.sink;

import io.millrace.exchange.Replicas;
import io.millrace.train.TrainStep.EvaluationResult;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sums an evaluation's batches up, and knows what the latest whole one came to. The trainer's thread alone calls. */
final class EvaluationTally {
    private double lossSum;
    private long correct;
    private long counted;
    private long rows;
    private @Nullable Double loss;
    private @Nullable Double accuracy;

    EvaluationTally() {}

    /** One that goes on from there. */
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

    void add(EvaluationResult result) {
        lossSum += result.lossSum();
        correct += Math.max(0, result.correct());
        counted += result.counted();
        rows += result.rows();
    }

    /**
     * The latest batch was an evaluation's last.
     *
     * @param classes whether its model told classes, so that they can be right or wrong
     * @param replicas with which it is one model: what each found on its rows of the evaluation set counts for all. Null
     *     when it is alone
     */
    void end(boolean classes, @Nullable Replicas replicas) throws IOException {
        boolean told = replicas == null ? classes : sumOver(replicas, classes);
        boolean any = rows > 0 && !Double.isNaN(lossSum);
        loss = any ? Double.valueOf(lossSum / rows) : null;
        accuracy = any && told && counted > 0 ? Double.valueOf((double) correct / counted) : null;
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

    /** The mean of the latest whole evaluation; null before the first, and without a loss. */
    @Nullable
    Double loss() {
        return loss;
    }

    /** Of the latest whole evaluation, 0 to 1; null before the first, and for models that tell no classes. */
    @Nullable
    Double accuracy() {
        return accuracy;
    }
}
