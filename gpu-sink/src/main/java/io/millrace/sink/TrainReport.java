package io.millrace.sink;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a trainer did, told when it ends or is stopped.
 *
 * @param finished whether it came to the end of its input
 * @param sentBytes of the columns of these, as they travelled
 * @param epochMillis duration of each finished training epoch, without evaluation
 * @param firstStepAtMillis wall clock at the end of the first step, or -1 before
 * @param trainNanos from the first batch to the end of the last step, without evaluation
 * @param starvedNanos of these, waiting for a whole batch, the first batch not counted
 * @param warmSamples samples trained on after warm-up (see {@code warmNanos})
 * @param warmNanos the training time of these: after the first epoch, or after a tenth of a run of one epoch
 * @param finalLoss mean training loss over the samples of the last epoch begun; null without a loss
 * @param evaluationLoss mean loss of the latest evaluation; null without one
 * @param accuracy of the latest evaluation; null without one
 * @param quarantined distinct bad samples
 * @param quarantinedRows rows that batches lacked
 * @param parametersSha256 null when the training was broken off, as by a failure, and has no model
 * @param assembleNanos the task's thread putting rows at their place
 * @param restarts how often the training was begun again from a checkpoint, those of earlier jobs included
 * @param checkpoints what they cost the trainer
 * @param earlierSteps of the steps, those in the runs that this one goes on from
 * @param earlierSamples of the samples, those in these runs
 * @param coreWaitNanos for which the trainer's thread was ready to run and had no core, in the latest attempt; null
 *     when unknown
 * @param operations how long each of the trainer's took, in the latest attempt
 * @param columnBytes what reached the trainer of each column, for training, in the latest attempt
 * @param device what it was kept busy with, in the latest attempt; null when unknown
 */
public record TrainReport(
        boolean finished,
        long steps,
        long samples,
        long sentBytes,
        List<Double> epochMillis,
        long firstStepAtMillis,
        long trainNanos,
        long starvedNanos,
        long transferNanos,
        long stepNanos,
        long evaluationNanos,
        long cpuNanos,
        long warmSamples,
        long warmNanos,
        @Nullable Double finalLoss,
        @Nullable Double evaluationLoss,
        @Nullable Double accuracy,
        @Nullable String parametersSha256,
        long parameterCount,
        long quarantined,
        long quarantinedRows,
        long assembleNanos,
        int restarts,
        SnapshotCost checkpoints,
        long earlierSteps,
        long earlierSamples,
        @Nullable Long coreWaitNanos,
        List<OperationTime> operations,
        ColumnBytes columnBytes,
        @Nullable DeviceFigures device)
        implements Serializable {
    public TrainReport {
        epochMillis = List.copyOf(epochMillis);
        operations = List.copyOf(operations);
    }

    /** The name under which the training operator's accumulator carries it. */
    public static final String ACCUMULATOR = "millrace.train";

    /** The same with the counts that the task's thread keeps, and what the device was kept busy with. */
    TrainReport withTask(TaskProgress task, @Nullable DeviceFigures figures) {
        return new TrainReport(
                finished,
                steps,
                samples,
                sentBytes,
                epochMillis,
                firstStepAtMillis,
                trainNanos,
                starvedNanos,
                transferNanos,
                stepNanos,
                evaluationNanos,
                cpuNanos,
                warmSamples,
                warmNanos,
                finalLoss,
                evaluationLoss,
                accuracy,
                parametersSha256,
                parameterCount,
                task.quarantined(),
                task.quarantinedRows(),
                task.assembleNanos(),
                task.restarts(),
                task.checkpoints(),
                earlierSteps,
                earlierSamples,
                coreWaitNanos,
                operations,
                columnBytes,
                figures);
    }
}
