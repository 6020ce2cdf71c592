package io.millrace.report;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The last values of our metrics of the tasks that ran in this process. Flink forgets a metric when its task ends, and a
 * reader over REST misses what happened since it last looked; a reporter inside the process does not.
 *
 * <p>Written by Flink's threads, read by the client's when the job has ended.
 */
public final class FinalMetrics {
    /** One metric of one subtask. */
    private record Key(String operator, int subtask, String metric) {}

    private static final Map<Key, Number> VALUES = new ConcurrentHashMap<>();

    /** Of any kind, Flink's own included. */
    private static final AtomicLong REGISTERED = new AtomicLong();

    private FinalMetrics() {}

    /** How many metrics Flink holds in this process now. */
    public static long registered() {
        return REGISTERED.get();
    }

    static void added(int count) {
        REGISTERED.addAndGet(count);
    }

    /** Forgets all: a new run begins. */
    public static void clear() {
        VALUES.clear();
    }

    static void put(String operator, int subtask, String metric, Number value) {
        VALUES.put(new Key(operator, subtask, metric), value);
    }

    /** The sum over the subtasks of an operator, or null where no subtask reported the metric. */
    static @org.jspecify.annotations.Nullable Double sum(String operator, String metric) {
        double sum = 0;
        boolean any = false;
        for (Map.Entry<Key, Number> entry : VALUES.entrySet()) {
            if (entry.getKey().operator.equals(operator)
                    && entry.getKey().metric.equals(metric)) {
                sum += entry.getValue().doubleValue();
                any = true;
            }
        }
        return any ? sum : null;
    }
}
