package io.millrace.sink.figures;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.io.Serializable;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The counters of a trainer. Its checkpoints, its report and its metrics share this record. The counters include the
 * steps of earlier runs that this run continues, but not the steps that a failure undid.
 *
 * @param steps the number of training steps
 * @param samples the number of samples that were trained on
 * @param wireBytes the bytes of the columns of these samples on the network
 * @param firstStepAtMillis the wall-clock time at the end of the first step, in milliseconds since 1970; -1 before that
 * @param times the times that the trainer's thread spent on each kind of work
 * @param earlierSteps the number of steps that earlier runs did, which this run continues
 * @param earlierSamples the number of samples that these earlier runs trained on
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
     * The times that the trainer's thread spent on each kind of work, in nanoseconds.
     *
     * @param starvedNanos the wait for complete batches, except for the first batch
     * @param transferNanos the transfer of batches to the device and their transforms there; on a device that works
     *     asynchronously, the part of {@code starvedNanos} in which the engine waited for the copies of training batches
     * @param stepNanos forward, backward and optimizer
     * @param evaluationNanos the work on evaluation batches
     * @param cpuNanos the CPU time of the thread
     */
    public record Times(long starvedNanos, long transferNanos, long stepNanos, long evaluationNanos, long cpuNanos)
            implements Serializable {
        /** The times of a trainer that has done nothing. */
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

        /** Combines the times of several trainers: the longest of each kind, and the sum of the CPU times. */
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

    /**
     * Returns the counters at the beginning of another run that continues this run. That run has not done its first
     * step yet.
     */
    TrainerCounters inAnotherRun() {
        return new TrainerCounters(steps, samples, wireBytes, -1, times, steps, samples);
    }

    /**
     * Combines the counters of several trainers: samples and bytes are summed, steps are the fewest of all trainers,
     * and times are the longest.
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
