package io.millrace.sink.figures;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The report that a trainer makes when it ends or is stopped.
 *
 * @param finished whether the trainer reached the end of its input
 * @param counters the counters of the trainer
 * @param pace the duration of training
 * @param result the result of training
 * @param epochs the epochs that have ended
 * @param task the counters of the training operator's task
 * @param attempt the figures that were measured in the latest attempt only
 */
public record TrainReport(
        boolean finished,
        @JsonUnwrapped TrainerCounters counters,
        @JsonUnwrapped Pace pace,
        @JsonUnwrapped Result result,
        Epochs epochs,
        @JsonUnwrapped TaskCounters task,
        @JsonUnwrapped Attempt attempt)
        implements Serializable {
    /** The name of the training operator's accumulator that carries the report. */
    public static final String ACCUMULATOR = "millrace.train";

    /**
     * The duration of training.
     *
     * @param epochMillis the duration of each finished training epoch, without evaluation
     * @param trainNanos the time from the first batch to the end of the last step, without evaluation
     * @param warmSamples the samples trained on after warm-up
     * @param warmNanos the training time of these samples, in nanoseconds; warm-up is the first epoch, or a tenth of
     *     the only epoch
     */
    public record Pace(List<Double> epochMillis, long trainNanos, long warmSamples, long warmNanos)
            implements Serializable {
        /** The pace of a trainer that has done nothing. */
        public static final Pace NONE = new Pace(List.of(), 0, 0, 0);

        public Pace {
            epochMillis = List.copyOf(epochMillis);
        }
    }

    /**
     * The epochs that have ended, in their order.
     *
     * @param records the latest of them
     * @param earlier the number of records, at the beginning, that belong to earlier jobs of the history
     */
    public record Epochs(List<EpochRecord> records, int earlier) implements Serializable {
        /** No epoch. */
        public static final Epochs NONE = new Epochs(List.of(), 0);

        public Epochs {
            records = List.copyOf(records);
        }

        /** Returns the epochs that ended in this job. */
        public List<EpochRecord> ofThisJob() {
            return records.subList(earlier, records.size());
        }
    }

    /**
     * The result of training.
     *
     * @param finalLoss the mean training loss over the samples of the last epoch that began; null without a loss
     * @param evaluationLoss the mean loss of the latest evaluation; null without one
     * @param accuracy the accuracy of the latest evaluation, 0 to 1; null without one
     * @param parametersSha256 the hash of the model's parameters; null when training was aborted, for example by a
     *     failure
     * @param parameterCount the number of the model's parameters
     */
    public record Result(
            @Nullable Double finalLoss,
            @Nullable Double evaluationLoss,
            @Nullable Double accuracy,
            @Nullable String parametersSha256,
            long parameterCount)
            implements Serializable {}

    /**
     * The figures of the latest attempt of the training. A restart from a checkpoint resets them.
     *
     * @param coreWaitNanos the time for which the trainer's thread was ready to run but had no core, in nanoseconds;
     *     null when it is not known
     * @param refillNanos the time after checkpoints for which the trainer waited until the next batch had arrived, beyond
     *     the wait before the previous step, in nanoseconds
     * @param operations the durations of the trainer's operations
     * @param columnBytes the bytes of each column that reached the trainer for training
     * @param device the use of the trainer's device; null when it is not known
     */
    public record Attempt(
            @Nullable Long coreWaitNanos,
            long refillNanos,
            List<OperationTime> operations,
            ColumnBytes columnBytes,
            @Nullable DeviceFigures device)
            implements Serializable {
        /** The figures of an attempt in which nothing was measured. */
        public static final Attempt NONE = new Attempt(null, 0, List.of(), ColumnBytes.NONE, null);

        public Attempt {
            operations = List.copyOf(operations);
        }

        Attempt with(@Nullable DeviceFigures figures) {
            return new Attempt(coreWaitNanos, refillNanos, operations, columnBytes, figures);
        }
    }

    /**
     * Returns the time for which a device that works asynchronously waited for the copies of training batches, which is
     * part of the starvation; 0 for the host, null when the device is not known.
     */
    public @Nullable Long copyWaitNanos() {
        DeviceFigures device = attempt.device();
        return device == null
                ? null
                : Long.valueOf(device.computedOnHost() ? 0 : counters.times().transferNanos());
    }

    /**
     * Returns this report with the counters of the task and the use of the device, which only the task's thread has.
     */
    public TrainReport withTask(TaskCounters counted, @Nullable DeviceFigures device) {
        return new TrainReport(finished, counters, pace, result, epochs, counted, attempt.with(device));
    }
}
