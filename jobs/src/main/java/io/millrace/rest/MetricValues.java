package io.millrace.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.metrics.MetricNames;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The values of one vertex's metrics, by id, each aggregated over the subtasks. */
final class MetricValues {
    private static final double NANOS_PER_MILLI = 1e6;

    private final Map<String, JsonNode> byId = new LinkedHashMap<>();

    /** Adds what Flink answered: a list of {@code {"id", "min", "max", "avg", "sum"}}. */
    void add(JsonNode answer) {
        for (JsonNode metric : answer) {
            byId.put(metric.path("id").asText(), metric);
        }
    }

    /** Whether a stage of this name has metrics here. */
    boolean has(String stage) {
        return byId.keySet().stream().anyMatch(id -> MetricIds.isOf(stage, id));
    }

    StageReading stage(String name, int parallelism) {
        return new StageReading(
                name,
                parallelism,
                count(name, MetricNames.RECORDS),
                millis(name, MetricNames.OWN_NANOS),
                millis(name, MetricNames.CPU_NANOS),
                millis(name, MetricNames.WAIT_IN_NANOS),
                millis(name, MetricNames.WAIT_OUT_NANOS),
                count(name, MetricNames.BYTES),
                count(name, MetricNames.FAILURES),
                millis(name, MetricNames.CORE_WAIT_NANOS),
                ofStage(name, MetricNames.RECORDS_PER_OWN_SECOND, "sum"),
                ofStage(name, MetricNames.RECORDS_PER_OWN_SECOND, "max"),
                ownMillis(name, MetricIds.MEDIAN, "avg"),
                ownMillis(name, MetricIds.P99, "avg"),
                ownMillis(name, MetricIds.MAX, "max"));
    }

    /** The whole vertex as Flink sees it. */
    TaskReading task(String name, int parallelism) {
        return new TaskReading(
                name,
                parallelism,
                JobTasks.Vertex.stages(name),
                of(MetricIds.BUSY, "avg"),
                of(MetricIds.IDLE, "avg"),
                of(MetricIds.BACK_PRESSURED, "avg"));
    }

    boolean hasMachines() {
        return byId.keySet().stream()
                .anyMatch(id -> MetricIds.isOurs(id) && MetricIds.metric(id).equals(MetricNames.MACHINE_CORES));
    }

    /** Of one machine where a stage is that tells of its machine: the mean. */
    @Nullable
    Double machineBusyCores() {
        return of(MetricNames.MACHINE_BUSY_CORES, "avg");
    }

    /** Of one process where such a stage is: the mean. */
    @Nullable
    Double processBusyCores() {
        return of(MetricNames.PROCESS_BUSY_CORES, "avg");
    }

    /** The trainer's values; all unknown when no operator here trains. */
    TrainerReading trainer() {
        return new TrainerReading(
                whole(of(MetricNames.STEPS, "min")),
                whole(of(MetricNames.SAMPLES, "sum")),
                whole(of(MetricNames.EPOCH, "min")),
                of(MetricNames.LOSS, "avg"),
                of(MetricNames.ACCURACY, "avg"),
                meanMillis(MetricNames.STARVED_NANOS),
                meanMillis(MetricNames.STEP_NANOS),
                meanMillis(MetricNames.TRANSFER_NANOS),
                meanMillis(MetricNames.EVALUATION_NANOS),
                whole(of(MetricNames.WAITING_ROWS, "sum")),
                sumMillis(MetricNames.ASSEMBLE_NANOS),
                whole(of(MetricNames.CHECKPOINTS, "min")),
                meanMillis(MetricNames.CHECKPOINT_COPY_NANOS),
                meanMillis(MetricNames.CHECKPOINT_DRAIN_NANOS),
                sumMillis(MetricNames.CPU_NANOS),
                whole(of(MetricNames.BYTES, "sum")),
                sumMillis(MetricNames.CORE_WAIT_NANOS),
                meanMillis(MetricNames.CLOCK_NANOS));
    }

    private @Nullable Long count(String stage, String metric) {
        return whole(ofStage(stage, metric, "sum"));
    }

    private @Nullable Double millis(String stage, String metric) {
        return inMillis(ofStage(stage, metric, "sum"));
    }

    /** Before the first sample Flink tells a greatest of 0 and a median that is not a number: all are unknown then. */
    private @Nullable Double ownMillis(String stage, String figure, String aggregate) {
        Double median = ofStage(stage, MetricNames.OWN_NANOS_PER_RECORD + MetricIds.MEDIAN, "avg");
        return median == null ? null : inMillis(ofStage(stage, MetricNames.OWN_NANOS_PER_RECORD + figure, aggregate));
    }

    private @Nullable Double meanMillis(String metric) {
        return inMillis(of(metric, "avg"));
    }

    private @Nullable Double sumMillis(String metric) {
        return inMillis(of(metric, "sum"));
    }

    private static @Nullable Double inMillis(@Nullable Double nanos) {
        return nanos == null ? null : nanos / NANOS_PER_MILLI;
    }

    private @Nullable Double ofStage(String stage, String metric, String aggregate) {
        return byId.entrySet().stream()
                .filter(entry ->
                        MetricIds.metric(entry.getKey()).equals(metric) && MetricIds.isOf(stage, entry.getKey()))
                .findFirst()
                .flatMap(entry -> number(entry.getValue().path(aggregate)))
                .orElse(null);
    }

    private @Nullable Double of(String metric, String aggregate) {
        return byId.entrySet().stream()
                .filter(entry -> MetricIds.metric(entry.getKey()).equals(metric))
                .findFirst()
                .flatMap(entry -> number(entry.getValue().path(aggregate)))
                .orElse(null);
    }

    /** Not a number, as before the first evaluation, is unknown. */
    private static Optional<Double> number(JsonNode value) {
        return value.isNumber() && Double.isFinite(value.asDouble()) ? Optional.of(value.asDouble()) : Optional.empty();
    }

    private static @Nullable Long whole(@Nullable Double value) {
        return value == null ? null : Math.round(value);
    }
}
