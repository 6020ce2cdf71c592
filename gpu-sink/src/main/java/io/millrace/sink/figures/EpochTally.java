package io.millrace.sink.figures;

import io.millrace.order.BatchPlan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of the epochs that have ended, and the sums over the epoch that is being trained. Only the trainer's thread calls
 * it.
 */
final class EpochTally {
    /** The number of latest records in the metric: more than end between two readings. */
    private static final int PUBLISHED = 100;

    /** The number of latest records in checkpoints and reports. */
    private static final int KEPT = 1000;

    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * The state of a tally in a checkpoint.
     *
     * @param job Flink's id of the job
     * @param earlier the number of records that belong to earlier jobs of the history
     * @param records the epochs that have ended, the latest {@value #KEPT}
     * @param waiting the epoch whose evaluation has not ended; null when there is none
     * @param samples the samples of the present epoch of whose steps the time is known
     * @param nanos the time of these steps, without evaluation
     * @param starvedNanos the part of this time in which the trainer waited for data
     */
    public record State(
            String job,
            int earlier,
            List<EpochRecord> records,
            @Nullable EpochRecord waiting,
            long samples,
            long nanos,
            long starvedNanos) {
        /** The state before the first step. */
        public static final State NONE = new State("", 0, List.of(), null, 0, 0, 0);

        public State {
            records = List.copyOf(records);
        }
    }

    private final BatchPlan plan;
    private final TrainerMetrics metrics;
    private final List<EpochRecord> records;
    private int earlier;
    private @Nullable EpochRecord waiting;
    private long samples;
    private long nanos;
    private long starvedNanos;

    /** Continues from a state. Of the records of an earlier job, the metric shows none. */
    EpochTally(BatchPlan plan, TrainerMetrics metrics, State from) {
        this.plan = plan;
        this.metrics = metrics;
        records = new ArrayList<>(from.records);
        earlier = from.job.equals(metrics.job) ? from.earlier : records.size();
        waiting = from.waiting;
        samples = from.samples;
        nanos = from.nanos;
        starvedNanos = from.starvedNanos;
        publish();
    }

    State state() {
        return new State(metrics.job, earlier, records, waiting, samples, nanos, starvedNanos);
    }

    /**
     * Adds a step.
     *
     * @param took the time from the end of the previous step to the end of this one; 0 when it is unknown
     * @param waited the part of this time in which the trainer waited for the batch
     * @param loss the mean training loss of the epoch so far; null without a loss
     */
    void step(TrainedBatch batch, long took, long waited, @Nullable Double loss) {
        samples += took == 0 ? 0 : batch.rows();
        nanos += took;
        starvedNanos += waited;
        if (!batch.last()) {
            return;
        }
        EpochRecord ended = new EpochRecord(
                batch.epoch(),
                nanos / NANOS_PER_SECOND,
                samples,
                starvedNanos / NANOS_PER_SECOND,
                loss == null || !Double.isFinite(loss) ? null : loss,
                null,
                null);
        samples = 0;
        nanos = 0;
        starvedNanos = 0;
        if (plan.evaluationSize() > 0 && (batch.epoch() + 1L) % plan.evaluateEvery() == 0) {
            waiting = ended;
        } else {
            add(ended);
        }
    }

    /** Ends the evaluation after the latest epoch. */
    void evaluated(@Nullable Double loss, @Nullable Double accuracy) {
        if (waiting != null) {
            add(waiting.evaluated(loss, accuracy));
            waiting = null;
        }
    }

    private void add(EpochRecord ended) {
        records.add(ended);
        if (records.size() > KEPT) {
            records.remove(0);
            earlier = Math.max(0, earlier - 1);
        }
        publish();
    }

    private void publish() {
        List<EpochRecord> own = records.subList(earlier, records.size());
        metrics.epochs = EpochRecord.text(own.subList(Math.max(0, own.size() - PUBLISHED), own.size()));
    }

    /** Returns the records for the report. */
    TrainReport.Epochs report() {
        return new TrainReport.Epochs(records, earlier);
    }
}
