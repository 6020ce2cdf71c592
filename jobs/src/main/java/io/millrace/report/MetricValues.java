package io.millrace.report;

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
                count(name, MetricNames.FAILURES));
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
                whole(of(MetricNames.WAITING_ROWS, "sum")));
    }

    private @Nullable Long count(String stage, String metric) {
        return whole(ofStage(stage, metric));
    }

    private @Nullable Double millis(String stage, String metric) {
        Double nanos = ofStage(stage, metric);
        return nanos == null ? null : nanos / NANOS_PER_MILLI;
    }

    private @Nullable Double meanMillis(String metric) {
        Double nanos = of(metric, "avg");
        return nanos == null ? null : nanos / NANOS_PER_MILLI;
    }

    private @Nullable Double ofStage(String stage, String metric) {
        return byId.entrySet().stream()
                .filter(entry ->
                        MetricIds.metric(entry.getKey()).equals(metric) && MetricIds.isOf(stage, entry.getKey()))
                .findFirst()
                .flatMap(entry -> number(entry.getValue().path("sum")))
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
