package io.millrace.report;

import io.millrace.metrics.NanosHistogram;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

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
    private static final Map<Key, Histogram> HISTOGRAMS = new ConcurrentHashMap<>();

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
        HISTOGRAMS.clear();
    }

    static void put(String operator, int subtask, String metric, Number value) {
        VALUES.put(new Key(operator, subtask, metric), value);
    }

    static void put(String operator, int subtask, String metric, Histogram recorded) {
        HISTOGRAMS.put(new Key(operator, subtask, metric), recorded);
    }

    /** The sum over the subtasks of an operator, or null where no subtask reported the metric or one did not know it. */
    static @Nullable Double sum(String operator, String metric) {
        return number(values(operator, metric).reduce(Double::sum));
    }

    /** The greatest of the subtasks of an operator, null likewise. */
    static @Nullable Double max(String operator, String metric) {
        return number(values(operator, metric).reduce(Math::max));
    }

    /**
     * Of all that the subtasks of an operator recorded, the value that a share of them does not exceed.
     *
     * @param share 0 to 1; 1 is the greatest
     * @return null where nothing was recorded
     */
    static @Nullable Double quantile(String operator, String metric, double share) {
        Histogram all = new Histogram(NanosHistogram.DIGITS);
        HISTOGRAMS.forEach((key, recorded) -> {
            if (key.operator.equals(operator) && key.metric.equals(metric)) {
                all.add(recorded);
            }
        });
        return all.getTotalCount() == 0 ? null : Double.valueOf((double) all.getValueAtPercentile(100 * share));
    }

    private static DoubleStream values(String operator, String metric) {
        return VALUES.entrySet().stream()
                .filter(entry -> entry.getKey().operator.equals(operator)
                        && entry.getKey().metric.equals(metric))
                .mapToDouble(entry -> entry.getValue().doubleValue());
    }

    private static @Nullable Double number(OptionalDouble value) {
        return value.isPresent() && Double.isFinite(value.getAsDouble()) ? Double.valueOf(value.getAsDouble()) : null;
    }
}
