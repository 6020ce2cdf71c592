package io.millrace.sink;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.io.Serializable;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The counters of a trainer. Its checkpoints, its report and its metrics share this record. It counts the history of
 * the run that is kept: steps that a failure undid are not included, the steps of earlier runs that this run continues
 * are.
 *
 * @param steps training steps done
 * @param samples samples trained on
 * @param wireBytes bytes of the columns of these samples, as they crossed the network
 * @param firstStepAtMillis wall clock at the end of the first step; -1 before
 * @param times what the trainer's thread spent its time on
 * @param earlierSteps the steps that belong to earlier runs which this run continues
 * @param earlierSamples the samples that belong to these runs
 */
public record TrainerCounters(
        long steps,
        long samples,
        @JsonProperty("sentBytes") long wireBytes,
        long firstStepAtMillis,
        @JsonUnwrapped Times times,
        long earlierSteps,
        long earlierSamples)
        implements Serializable {
    /** The counters of a trainer that has done nothing. */
    public static final TrainerCounters NONE = new TrainerCounters(0, 0, 0, -1, Times.NONE, 0, 0);

    /**
     * What the trainer's thread spent its time on, in nanoseconds.
     *
     * @param starvedNanos waiting for a whole batch; the wait for the first batch is not counted
     * @param transferNanos moving batches to the device and transforming them there
     * @param stepNanos forward, backward and optimizer
     * @param evaluationNanos evaluation batches
     * @param cpuNanos CPU time of the thread
     */
    public record Times(long starvedNanos, long transferNanos, long stepNanos, long evaluationNanos, long cpuNanos)
            implements Serializable {
        /** No time was spent. */
        public static final Times NONE = new Times(0, 0, 0, 0, 0);

        Times plusStarved(long nanos) {
            return new Times(starvedNanos + nanos, transferNanos, stepNanos, evaluationNanos, cpuNanos);
        }

        Times plusStep(long transfer, long step) {
            return new Times(starvedNanos, transferNanos + transfer, stepNanos + step, evaluationNanos, cpuNanos);
        }

        Times plusEvaluation(long nanos) {
            return new Times(starvedNanos, transferNanos, stepNanos, evaluationNanos + nanos, cpuNanos);
        }

        Times withCpu(long nanos) {
            return new Times(starvedNanos, transferNanos, stepNanos, evaluationNanos, nanos);
        }

        /** Returns the times of several trainers as one: the longest of each, and the sum of the CPU times. */
        private static Times whole(List<TrainerCounters> all) {
            return new Times(
                    most(all, each -> each.times.starvedNanos),
                    most(all, each -> each.times.transferNanos),
                    most(all, each -> each.times.stepNanos),
                    most(all, each -> each.times.evaluationNanos),
                    sum(all, each -> each.times.cpuNanos));
        }
    }

    /** Returns these counters with one more step. */
    TrainerCounters plusStep(long rows, long bytes, long nowMillis) {
        return new TrainerCounters(
                steps + 1,
                samples + rows,
                wireBytes + bytes,
                firstStepAtMillis < 0 ? nowMillis : firstStepAtMillis,
                times,
                earlierSteps,
                earlierSamples);
    }

    /** Returns these counters with other times. */
    TrainerCounters with(Times spent) {
        return new TrainerCounters(steps, samples, wireBytes, firstStepAtMillis, spent, earlierSteps, earlierSamples);
    }

    /** Returns the counters with which another run begins that continues this one: its first step is still to come. */
    TrainerCounters inAnotherRun() {
        return new TrainerCounters(steps, samples, wireBytes, -1, times, steps, samples);
    }

    /**
     * Returns the counters of several trainers as one: samples and bytes are summed, steps are those of the least
     * advanced trainer, times are the longest.
     */
    static TrainerCounters whole(List<TrainerCounters> all) {
        return new TrainerCounters(
                least(all, TrainerCounters::steps),
                sum(all, TrainerCounters::samples),
                sum(all, TrainerCounters::wireBytes),
                all.stream()
                        .mapToLong(TrainerCounters::firstStepAtMillis)
                        .filter(millis -> millis >= 0)
                        .min()
                        .orElse(-1),
                Times.whole(all),
                least(all, TrainerCounters::earlierSteps),
                sum(all, TrainerCounters::earlierSamples));
    }

    private static long sum(List<TrainerCounters> all, ToLongFunction<TrainerCounters> value) {
        return all.stream().mapToLong(value).sum();
    }

    private static long least(List<TrainerCounters> all, ToLongFunction<TrainerCounters> value) {
        return all.stream().mapToLong(value).min().orElseThrow();
    }

    private static long most(List<TrainerCounters> all, ToLongFunction<TrainerCounters> value) {
        return all.stream().mapToLong(value).max().orElseThrow();
    }
}
