package io.millrace.rest;

import com.fasterxml.jackson.annotation.JsonValue;
import io.millrace.metrics.CodeProfile;
import io.millrace.metrics.Figure;
import io.millrace.metrics.Figure.Owner;
import io.millrace.metrics.FigureValues;
import io.millrace.metrics.Figures;
import io.millrace.metrics.Statistic;
import io.millrace.metrics.Statistic.OverSlots;
import io.millrace.metrics.Statistic.Part;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one stage over its subtasks. Null means unknown. {@link Figures} explains each figure. In a run of
 * this process, the quantiles of the own time cover all samples. Over REST they are the means of the subtasks'
 * quantiles, because Flink does not report more.
 *
 * @param name the name of the stage
 * @param parallelism the number of subtasks
 * @param values the figures
 * @param code the profile of the user's code that the stage calls, or of the datasets of a mixture that it reads; null when there is none or
 *     none is known
 * @param atLeast whether the figures lack a part of the run, so that sums are at least these
 */
public record StageReading(
        String name,
        @Nullable Integer parallelism,
        FigureValues values,
        @Nullable CodeProfile code,
        boolean atLeast) {
    private static final double MILLIS_PER_SECOND = 1e3;

    /** Returns a reading without any known figure. */
    public static StageReading unknown(String name) {
        return unknown(name, null);
    }

    /** Returns a reading in which only the number of subtasks is known. */
    public static StageReading unknown(String name, @Nullable Integer parallelism) {
        return new StageReading(name, parallelism, FigureValues.NONE, null, false);
    }

    /** Returns whether a figure of the stage is known. */
    public boolean isMeasured() {
        return !values.equals(FigureValues.NONE);
    }

    /** Returns this reading with a figure, in the figure's unit; null leaves it unknown. */
    public StageReading with(Figure figure, @Nullable Number value) {
        return new StageReading(name, parallelism, values.with(figure, value), code, atLeast);
    }

    /** Returns this reading with a statistic, in its figure's unit; null leaves it unknown. */
    public StageReading with(Statistic statistic, @Nullable Number value) {
        return new StageReading(name, parallelism, values.with(statistic, value), code, atLeast);
    }

    /** Returns this reading with a profile of the user's code; null leaves it unknown. */
    public StageReading with(@Nullable CodeProfile profile) {
        return new StageReading(name, parallelism, values, profile, atLeast);
    }

    /** Returns this reading, marked as one that lacks a part of the run; unchanged when no figure is known. */
    public StageReading markedAtLeast() {
        return new StageReading(name, parallelism, values, code, !values.known().isEmpty());
    }

    /** Returns whether the stage calls code of the user, and its profile is known. */
    public boolean callsCode() {
        return code != null && !code.describesDatasets();
    }

    /** Returns the profiles by the names of the stages that have one. */
    public static Map<String, CodeProfile> codeOf(List<StageReading> stages) {
        Map<String, CodeProfile> code = new LinkedHashMap<>();
        for (StageReading stage : stages) {
            CodeProfile profile = stage.code();
            if (profile != null) {
                code.put(stage.name(), profile);
            }
        }
        return code;
    }

    public @Nullable Long records() {
        return values.count(Figures.RECORDS);
    }

    public @Nullable Double ownMillis() {
        return values.millis(Figures.OWN_NANOS);
    }

    public @Nullable Double cpuMillis() {
        return values.millis(Figures.CPU_NANOS);
    }

    public @Nullable Double waitInMillis() {
        return values.millis(Figures.WAIT_IN_NANOS);
    }

    public @Nullable Double waitOutMillis() {
        return values.millis(Figures.WAIT_OUT_NANOS);
    }

    public @Nullable Long bytes() {
        return values.count(Figures.BYTES_PRODUCED);
    }

    public @Nullable Long failures() {
        return values.count(Figures.FAILURES);
    }

    public @Nullable Double coreWaitMillis() {
        return values.millis(Figures.CORE_WAIT_NANOS);
    }

    /** Returns the share of its results that the stage had in its cache, 0 to 1; null when it has no cache, or this is unknown. */
    public @Nullable Double cacheHits() {
        return values.number(Figures.CACHE_HITS);
    }

    /** Returns the mean of {@link #cacheHits} over the stages that have a cache; null when none has. */
    public static @Nullable Double cacheHits(List<StageReading> stages) {
        OptionalDouble mean = stages.stream()
                .map(StageReading::cacheHits)
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .average();
        return mean.isPresent() ? Double.valueOf(mean.getAsDouble()) : null;
    }

    /** Returns the throughput that the stage would have if no subtask ever waited, in samples per second. */
    public @Nullable Double recordsPerOwnSecondSum() {
        return values.number(Figures.RECORDS_PER_OWN_SECOND.of(OverSlots.SUM));
    }

    /** Returns the throughput of the fastest subtask if it never waited, in samples per second. */
    public @Nullable Double recordsPerOwnSecondMax() {
        return values.number(Figures.RECORDS_PER_OWN_SECOND.of(OverSlots.GREATEST));
    }

    public @Nullable Double ownP50Millis() {
        return values.millis(Figures.OWN_NANOS_PER_RECORD.of(Part.MEDIAN));
    }

    public @Nullable Double ownP99Millis() {
        return values.millis(Figures.OWN_NANOS_PER_RECORD.of(Part.P99));
    }

    public @Nullable Double ownMaxMillis() {
        return values.millis(Figures.OWN_NANOS_PER_RECORD.of(Part.MAX));
    }

    /** Returns the throughput of one subtask that never waits, in samples per second; empty when it is unknown. */
    public Optional<Double> recordsPerSecondPerSlot() {
        Long records = records();
        Double ownMillis = ownMillis();
        return records == null || ownMillis == null || records == 0 || ownMillis <= 0
                ? Optional.empty()
                : Optional.of(records * MILLIS_PER_SECOND / ownMillis);
    }

    /**
     * Returns this reading, with the values of an earlier reading for those that are unknown, because metrics vanish
     * when a task ends.
     */
    StageReading orElse(StageReading earlier) {
        return new StageReading(
                name,
                parallelism == null ? earlier.parallelism : parallelism,
                values.orElse(earlier.values),
                code == null ? earlier.code : code,
                atLeast);
    }

    /** Returns the keys and values of this stage in {@code summary.json}; null means unknown. A stage without a cache has no hits. */
    @JsonValue
    @SuppressWarnings("NullAway") // JSON has null for what is not known
    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("parallelism", parallelism);
        for (Statistic statistic : Figures.statistics(Owner.DATA_STAGE)) {
            boolean absent = statistic.equals(Figures.CACHE_HITS.main()) && cacheHits() == null;
            if (statistic.key() != null && !absent) {
                json.put(statistic.key(), values.shown(statistic));
            }
        }
        if (atLeast) {
            json.put("at_least", true);
        }
        if (code != null) {
            json.put(code.describesDatasets() ? "mixture" : CodeProfile.METRIC, code.json());
        }
        return json;
    }
}
