package io.millrace.rest;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.metrics.StageMetrics;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one stage has done so far, summed over its subtasks. Null is unknown.
 *
 * @param parallelism the number of subtasks
 * @param records samples handled
 * @param ownMillis time that the stage itself worked: without waiting for input or for what follows
 * @param cpuMillis CPU time of that work
 * @param waitInMillis time waited for the stage before
 * @param waitOutMillis time spent in handing on; within a chain the following stages' work is part of it
 * @param bytes of field data produced
 * @param failures samples quarantined
 * @param coreWaitMillis for which the threads that it works on were ready to run and had no core; the stages of a chain
 *     share a thread, and show the same figure
 * @param recordsPerOwnSecondSum what each subtask could handle per second were it always busy, summed over them
 * @param recordsPerOwnSecondMax the same of the fastest subtask
 * @param ownP50Millis own time of a sample: the median. Of a run in this process that of all samples; over REST the mean of
 *     the subtasks' medians, which is all that Flink tells; likewise the next
 * @param ownP99Millis all but one sample in a hundred took no longer
 * @param ownMaxMillis what the slowest sample took, in any subtask
 */
public record StageReading(
        String name,
        @Nullable Integer parallelism,
        @Nullable Long records,
        @JsonProperty("own_ms") @Nullable Double ownMillis,
        @JsonProperty("cpu_ms") @Nullable Double cpuMillis,
        @JsonProperty("wait_in_ms") @Nullable Double waitInMillis,
        @JsonProperty("wait_out_ms") @Nullable Double waitOutMillis,
        @Nullable Long bytes,
        @Nullable Long failures,
        @JsonProperty("core_wait_ms") @Nullable Double coreWaitMillis,
        @JsonIgnore @Nullable Double recordsPerOwnSecondSum,
        @JsonIgnore @Nullable Double recordsPerOwnSecondMax,
        @JsonProperty("own_p50_ms") @Nullable Double ownP50Millis,
        @JsonProperty("own_p99_ms") @Nullable Double ownP99Millis,
        @JsonProperty("own_max_ms") @Nullable Double ownMaxMillis) {

    private static final double NANOS_PER_MILLI = 1e6;

    /** A stage of which nothing is known yet. */
    public static StageReading unknown(String name) {
        return unknown(name, null);
    }

    /** A stage of which nothing is known but its number of subtasks. */
    public static StageReading unknown(String name, @Nullable Integer parallelism) {
        return new StageReading(
                name, parallelism, null, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    /** A stage's totals over all its subtasks; what totals do not tell is unknown. */
    public static StageReading of(String name, int parallelism, StageMetrics.Totals totals) {
        return new StageReading(
                name,
                parallelism,
                totals.records(),
                totals.ownNanos() / NANOS_PER_MILLI,
                totals.cpuNanos() / NANOS_PER_MILLI,
                totals.waitInNanos() / NANOS_PER_MILLI,
                totals.waitOutNanos() / NANOS_PER_MILLI,
                totals.bytes(),
                totals.failures(),
                null,
                null,
                null,
                null,
                null,
                null);
    }

    /** The stage's true rate: what one busy subtask handles per second; empty before anything is known. */
    public Optional<Double> recordsPerSecondPerSlot() {
        return records == null || ownMillis == null || records == 0 || ownMillis <= 0
                ? Optional.empty()
                : Optional.of(records * 1000.0 / ownMillis);
    }

    /** This reading, with an earlier one's values where this has none: metrics vanish when a task ends. */
    StageReading orElse(StageReading earlier) {
        return new StageReading(
                name,
                known(parallelism, earlier.parallelism),
                known(records, earlier.records),
                known(ownMillis, earlier.ownMillis),
                known(cpuMillis, earlier.cpuMillis),
                known(waitInMillis, earlier.waitInMillis),
                known(waitOutMillis, earlier.waitOutMillis),
                known(bytes, earlier.bytes),
                known(failures, earlier.failures),
                known(coreWaitMillis, earlier.coreWaitMillis),
                known(recordsPerOwnSecondSum, earlier.recordsPerOwnSecondSum),
                known(recordsPerOwnSecondMax, earlier.recordsPerOwnSecondMax),
                known(ownP50Millis, earlier.ownP50Millis),
                known(ownP99Millis, earlier.ownP99Millis),
                known(ownMaxMillis, earlier.ownMaxMillis));
    }

    static <T> @Nullable T known(@Nullable T value, @Nullable T earlier) {
        return value == null ? earlier : value;
    }
}
