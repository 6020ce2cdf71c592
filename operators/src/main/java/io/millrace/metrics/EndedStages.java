package io.millrace.metrics;

import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * reader's figures. Those of a reader that is alone in its task are added by a stage of the same job in the same process, which ends
 * after its readers. They are missing where no such stage is.
 */
public final class EndedStages implements Accumulator<Map<String, StageFigures>, Serializable> {
    /** The name of the accumulator. */
    public static final String NAME = "millrace stages";

    private static final long serialVersionUID = 1;

    /** The largest number of ended readers of this process whose figures wait for a stage that adds them; the oldest are dropped. */
    private static final int MOST_WAITING = 1_000;

    /** The readers whose figures have not been added, by the attempt to run their task. */
    private static final Map<String, StageMetrics> READERS = new ConcurrentHashMap<>();

    /** The attempts to run tasks that have a stage which adds figures. */
    private static final Set<String> JOINED = ConcurrentHashMap.newKeySet();

    /** The readers that have ended alone in their task. Guarded by itself. */
    private static final Deque<Waiting> WAITING = new ArrayDeque<>();

    /** The figures by stage. The map is never changed. Volatile: the task's thread replaces it, Flink's heartbeat reads it. */
    private volatile TreeMap<String, StageFigures> figures = new TreeMap<>();

    /** The last figures of a reader that was alone in its task. */
    private record Waiting(TaskAttempt task, String stage, StageFigures figures) {}

    /**
     * An attempt to run a task.
     *
     * @param id the attempt's id; empty outside of a task
     * @param job the id of the job
     * @param number the number of the attempt; tasks that begin again together have the same number
     */
    private record TaskAttempt(String id, String job, String number) {
        static TaskAttempt of(MetricGroup group) {
            Map<String, String> variables = group.getAllVariables();
            return new TaskAttempt(
                    variables.getOrDefault("<task_attempt_id>", ""),
                    variables.getOrDefault("<job_id>", ""),
                    variables.getOrDefault("<task_attempt_num>", ""));
        }
    }

    /** Declares that a stage is a reader, until {@link #closed} is called. The task's thread calls it. */
    public static void declareReader(MetricGroup group, StageMetrics reader) {
        READERS.put(TaskAttempt.of(group).id, reader);
    }

    /** Declares that a stage of this task will call {@link #add}. The task's thread calls it. */
    public static void join(MetricGroup group) {
        JOINED.add(TaskAttempt.of(group).id);
    }

    /** Takes the last figures of a reader that is alone in its task. Does nothing for other readers, and at a second call. */
    public static void readToEnd(MetricGroup group) {
        TaskAttempt task = TaskAttempt.of(group);
        StageMetrics reader = JOINED.contains(task.id) ? null : READERS.remove(task.id);
        if (reader != null) {
            synchronized (WAITING) {
                WAITING.removeIf(other -> other.task.job.equals(task.job) && !other.task.number.equals(task.number));
                WAITING.add(new Waiting(task, reader.stage(), reader.figures()));
                if (WAITING.size() > MOST_WAITING) {
                    WAITING.remove();
                }
            }
        }
    }

    /** Forgets a reader that is closed. A second call does nothing. */
    public static void closed(MetricGroup group) {
        readToEnd(group);
        READERS.remove(TaskAttempt.of(group).id);
    }

    /**
     * Adds the last figures of a stage that is closed, and those of the readers that it can see. The task's thread calls it.
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
        TaskAttempt task = TaskAttempt.of(group);
        JOINED.remove(task.id);
        StageMetrics reader = READERS.remove(task.id);
        if (reader != null) {
            ended.add(Map.of(reader.stage(), reader.figures()));
        }
        for (Waiting other : taken(task)) {
            ended.add(Map.of(other.stage, other.figures));
        }
    }

    /** Takes the readers that have ended alone in the tasks that began together with this one. */
    private static List<Waiting> taken(TaskAttempt task) {
        synchronized (WAITING) {
            List<Waiting> same = WAITING.stream()
                    .filter(other -> other.task.job.equals(task.job) && other.task.number.equals(task.number))
                    .toList();
            WAITING.removeAll(same);
            return same;
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
