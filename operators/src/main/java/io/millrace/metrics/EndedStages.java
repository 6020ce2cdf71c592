package io.millrace.metrics;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * The accumulator with the last figures of the stages whose slots have ended. Flink removes a task's metrics when the task ends, so
 * a reading over REST misses the last seconds. Accumulators arrive with the job's result. Each stage adds its figures when it is
 * closed, also in a job that fails or is cancelled.
 *
 * <p>Flink has no accumulators for the readers of sources. Therefore the first stage that is closed in a reader's task adds the
 * reader's figures. Those of a reader that is alone in its task are missing.
 */
public final class EndedStages implements Accumulator<Map<String, StageFigures>, Serializable> {
    /** The name of the accumulator. */
    public static final String NAME = "millrace stages";

    private static final long serialVersionUID = 1;

    /** The variable of a metric group that names the attempt to run a task. */
    private static final String ATTEMPT = "<task_attempt_id>";

    /** The readers whose figures have not been added, by the attempt to run their task. */
    private static final Map<String, StageMetrics> READERS = new ConcurrentHashMap<>();

    /** The figures by stage. The map is never changed. Volatile: the task's thread replaces it, Flink's heartbeat reads it. */
    private volatile TreeMap<String, StageFigures> figures = new TreeMap<>();

    /** Declares that a stage is a reader, until {@link #forget} is called. The task's thread calls it. */
    public static void declareReader(MetricGroup group, StageMetrics reader) {
        String attempt = group.getAllVariables().get(ATTEMPT);
        if (attempt != null) {
            READERS.put(attempt, reader);
        }
    }

    /** Forgets a reader that is closed. A second call does nothing. */
    public static void forget(MetricGroup group) {
        String attempt = group.getAllVariables().get(ATTEMPT);
        if (attempt != null) {
            READERS.remove(attempt);
        }
    }

    /**
     * Adds the last figures of a stage that is closed, and those of the reader in its task if no other stage has added them. The
     * task's thread calls it.
     *
     * @param group the metric group of the stage's operator
     */
    public static void add(RuntimeContext context, MetricGroup group, StageMetrics stage) {
        Accumulator<Map<String, StageFigures>, Serializable> ended = context.getAccumulator(NAME);
        if (ended == null) {
            ended = new EndedStages();
            context.addAccumulator(NAME, ended);
        }
        ended.add(Map.of(stage.stage(), stage.figures()));
        String attempt = group.getAllVariables().get(ATTEMPT);
        StageMetrics reader = attempt == null ? null : READERS.remove(attempt);
        if (reader != null) {
            ended.add(Map.of(reader.stage(), reader.figures()));
        }
    }

    /** Returns the figures by stage in a value of this accumulator; empty for another value, or none. */
    public static Map<String, StageFigures> of(@Nullable Object value) {
        Map<String, StageFigures> stages = new TreeMap<>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((name, figures) -> {
                if (name instanceof String stage && figures instanceof StageFigures ended) {
                    stages.put(stage, ended);
                }
            });
        }
        return stages;
    }

    @Override
    public void add(Map<String, StageFigures> more) {
        TreeMap<String, StageFigures> sums = new TreeMap<>(figures);
        more.forEach((stage, ended) -> sums.merge(stage, ended, StageFigures::plus));
        figures = sums;
    }

    @Override
    public Serializable getLocalValue() {
        return figures;
    }

    @Override
    public void resetLocal() {
        figures = new TreeMap<>();
    }

    @Override
    public void merge(Accumulator<Map<String, StageFigures>, Serializable> other) {
        add(of(other.getLocalValue()));
    }

    @Override
    @SuppressWarnings({"MissingSuperCall", "CloneableImplementsClone"})
    public EndedStages clone() {
        EndedStages copy = new EndedStages();
        copy.figures = figures;
        return copy;
    }
}
