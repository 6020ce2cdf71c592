package io.millrace.sink.deliver;

import io.millrace.order.BatchPlan;
import io.millrace.serve.ServeSpec;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The rhythm in which a training loop asks for the evaluation: after each {@code evaluate.every} epochs. It decides when the first
 * batches of an evaluation are read ahead: about two seconds before the loop has done the last step of such an epoch. A loop with
 * another rhythm loses nothing but the lead. Pure; not thread-safe.
 */
final class EvaluationRhythm {
    /** The time before the end of an epoch at which the evaluation is read ahead. */
    static final long LEAD_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final long stepsPerEpoch;
    private final long every;

    /** The step that follows the latest one; -1 before the first. */
    private long next = -1;

    /** The number of consecutive steps whose pace is known, and the time of the first of them. */
    private long paced;

    private long pacedSinceNanos;

    /** The latest epoch for which the evaluation was announced; -1 before the first. */
    private long announced = -1;

    /**
     * Creates the rhythm of a loop.
     *
     * @param stepsPerEpoch the number of steps of an epoch, at least 1
     * @param every the number of epochs from one evaluation to the next, at least 1
     */
    EvaluationRhythm(long stepsPerEpoch, int every) {
        this.stepsPerEpoch = stepsPerEpoch;
        this.every = every;
    }

    /** Returns the rhythm that the sink of a rank observes; null for all ranks but the first, and without an evaluation. */
    static @Nullable EvaluationRhythm observed(ServeSpec serve, int rank, BatchPlan plan) {
        ServeSpec.Evaluation evaluation = serve.evaluation();
        return evaluation == null || rank != 0 ? null : new EvaluationRhythm(plan.stepsPerEpoch(), evaluation.every());
    }

    /**
     * Takes a step that the loop has done.
     *
     * @param now the time of a monotonic clock, in nanoseconds
     * @return true once for each epoch that an evaluation follows, when its end is near
     */
    boolean nears(long step, long now) {
        if (step != next) { // the first step, or a seek
            paced = 0;
            pacedSinceNanos = now;
            announced = -1;
        }
        next = step + 1;
        long epoch = step / stepsPerEpoch;
        long left = stepsPerEpoch - 1 - step % stepsPerEpoch;
        boolean due = epoch != announced && (epoch + 1) % every == 0;
        boolean near = left == 0 || (paced > 0 && left * ((double) (now - pacedSinceNanos) / paced) <= LEAD_NANOS);
        paced++;
        if (!due || !near) {
            return false;
        }
        announced = epoch;
        return true;
    }
}
