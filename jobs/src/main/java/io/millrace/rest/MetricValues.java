package io.millrace.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.metrics.CodeProfile;
import io.millrace.metrics.Figure.Owner;
import io.millrace.metrics.FigureValues;
import io.millrace.metrics.Figures;
import io.millrace.metrics.Statistic;
import io.millrace.metrics.Statistic.OverSlots;
import io.millrace.metrics.Statistic.Part;
import io.millrace.sink.figures.EpochRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The metrics of one vertex by id, each aggregated over the subtasks. */
final class MetricValues {
    private final Map<String, JsonNode> byId = new LinkedHashMap<>();

    /** The profiles of the subtasks. */
    private final Map<String, List<CodeProfile>> code = new LinkedHashMap<>();

    /** The epochs that each trainer has ended. */
    private final List<List<EpochRecord>> epochs = new ArrayList<>();

    /** Adds the metrics of an answer of Flink, which is a list of {@code {"id", "min", "max", "avg", "sum"}}. */
    void add(JsonNode answer) {
        for (JsonNode metric : answer) {
            byId.put(metric.path("id").asText(), metric);
        }
    }

    /** Adds the texts of subtasks of an answer of Flink, which is a list of {@code {"id", "value"}} whose ids begin with a subtask. */
    void addTexts(JsonNode answer) {
        for (JsonNode metric : answer) {
            String id = metric.path("id").asText();
            String text = metric.path("value").asText();
            if (MetricIds.isEpochs(id)) {
                epochs.add(EpochRecord.parse(text));
            } else {
                CodeProfile.parse(text).ifPresent(profile -> code.computeIfAbsent(
                                id.substring(id.indexOf('.') + 1), unused -> new ArrayList<>())
                        .add(profile));
            }
        }
    }

    /** Returns whether this vertex has metrics of a stage with this name. */
    boolean has(String stage) {
        return byId.keySet().stream().anyMatch(id -> MetricIds.isOf(stage, id));
    }

    /** Returns the figures of a stage. */
    StageReading stage(String name, int parallelism) {
        List<CodeProfile> profiles = code.entrySet().stream()
                .filter(entry -> MetricIds.isOf(name, entry.getKey()))
                .flatMap(entry -> entry.getValue().stream())
                .toList();
        return new StageReading(
                name,
                parallelism,
                values(Owner.DATA_STAGE, id -> MetricIds.isOurs(id) && MetricIds.isOf(name, id)),
                CodeProfile.whole(profiles).orElse(null),
                false);
    }

    /** Returns Flink's own figures of the whole vertex. */
    TaskReading task(String name, int parallelism) {
        return new TaskReading(
                name,
                parallelism,
                JobTasks.Vertex.stages(name),
                rate(MetricIds.BUSY),
                rate(MetricIds.IDLE),
                rate(MetricIds.BACK_PRESSURED));
    }

    /** Returns whether a stage of this vertex reports the figures of its machine. */
    boolean hasMachines() {
        return byId.keySet().stream()
                .anyMatch(id -> MetricIds.isOurs(id) && MetricIds.metric(id).equals(Figures.MACHINE_CORES.name()));
    }

    /** Returns the figures of a machine: the mean of the machines where data is read. */
    FigureValues machine() {
        return values(Owner.MACHINE, MetricIds::isOurs);
    }

    /** Returns the trainer's figures; all of them are unknown when this vertex does not train. */
    TrainerReading trainer() {
        return new TrainerReading(values(Owner.TRAINER, MetricIds::isOurs), EpochRecord.whole(epochs));
    }

    private FigureValues values(Owner owner, Predicate<String> ids) {
        return FigureValues.read(Figures.statistics(owner), statistic -> value(statistic, ids));
    }

    /**
     * Returns a statistic; null when it is unknown. Before the first sample, Flink reports a median of NaN and a
     * greatest value of 0, which both count as unknown.
     */
    private @Nullable Double value(Statistic statistic, Predicate<String> ids) {
        boolean empty = statistic.part() != Part.VALUE
                && find(statistic.metric() + Part.MEDIAN.suffix(), OverSlots.MEAN, ids) == null;
        return empty ? null : find(statistic.metricId(), statistic.overSlots(), ids);
    }

    private @Nullable Double rate(String metric) {
        return find(metric, OverSlots.MEAN, id -> true);
    }

    private @Nullable Double find(String metric, OverSlots overSlots, Predicate<String> ids) {
        return byId.entrySet().stream()
                .filter(entry -> MetricIds.metric(entry.getKey()).equals(metric) && ids.test(entry.getKey()))
                .findFirst()
                .map(entry -> number(entry.getValue().path(overSlots.flinkKey())))
                .orElse(null);
    }

    /** Returns a number; null for NaN, which means unknown, for example before the first evaluation. */
    private static @Nullable Double number(JsonNode value) {
        return value.isNumber() && Double.isFinite(value.asDouble()) ? Double.valueOf(value.asDouble()) : null;
    }
}
