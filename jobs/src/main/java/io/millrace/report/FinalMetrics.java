package io.millrace.report;

import io.millrace.metrics.CodeProfile;
import io.millrace.metrics.Figures;
import io.millrace.metrics.NanosHistogram;
import io.millrace.metrics.StageFigures;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * The last values of Millrace's metrics, for the tasks that ran in this process. Flink removes a metric when its task
 * ends, so a reader over REST misses every change since its latest reading. A reporter inside the process misses no
 * change.
 *
 * <p>Flink's threads write the values. The client's thread reads them when the job has ended.
 */
public final class FinalMetrics {
    /** One metric of one subtask. */
    private record Key(String operator, int subtask, String metric) {}

    private static final Map<Key, Number> VALUES = new ConcurrentHashMap<>();
    private static final Map<Key, Histogram> HISTOGRAMS = new ConcurrentHashMap<>();
    private static final Map<Key, CodeProfile> CODE = new ConcurrentHashMap<>();

    /** The number of metrics that the tasks of each job still have, by the job's id; guarded by itself. */
    private static final Map<String, Integer> HELD = new HashMap<>();

    /** The number of registered metrics of any kind, including Flink's own metrics. */
    private static final AtomicLong REGISTERED = new AtomicLong();

    private FinalMetrics() {}

    /** Returns the number of metrics that Flink holds in this process now. */
    public static long registered() {
        return REGISTERED.get();
    }

    static void added(int count) {
        REGISTERED.addAndGet(count);
    }

    /** Removes all values. A new run calls this method when it begins. */
    public static void clear() {
        VALUES.clear();
        HISTOGRAMS.clear();
        CODE.clear();
    }

    /** Records that a task of a job has one metric more, or one less, whose last value is known. */
    static void held(String job, int change) {
        synchronized (HELD) {
            HELD.merge(job, change, (before, more) -> before + more == 0 ? null : before + more);
            HELD.notifyAll();
        }
    }

    /**
     * Waits until the tasks of a job have removed their metrics. Flink reports the end of a job some moments before that.
     *
     * @param job the id of the job
     * @param most the longest wait
     * @return false when some tasks have not within that time
     */
    public static boolean awaitLast(String job, Duration most) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        synchronized (HELD) {
            while (HELD.containsKey(job)) {
                long leftMillis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (leftMillis <= 0) {
                    return false;
                }
                HELD.wait(leftMillis);
            }
            return true;
        }
    }

    static void put(String operator, int subtask, String metric, Number value) {
        VALUES.put(new Key(operator, subtask, metric), value);
    }

    static void put(String operator, int subtask, String metric, Histogram recorded) {
        HISTOGRAMS.put(new Key(operator, subtask, metric), recorded);
    }

    static void put(String operator, int subtask, CodeProfile code) {
        CODE.put(new Key(operator, subtask, CodeProfile.METRIC), code);
    }

    /**
     * Returns the figures over the subtasks of an operator.
     *
     * @return empty when no subtask has reported a figure
     */
    static Optional<StageFigures> figures(String operator) {
        Set<Integer> subtasks = new TreeSet<>();
        Stream.of(VALUES, HISTOGRAMS, CODE)
                .flatMap(map -> map.keySet().stream())
                .forEach(key -> {
                    if (key.operator.equals(operator)) {
                        subtasks.add(key.subtask);
                    }
                });
        return subtasks.stream().map(subtask -> ofSubtask(operator, subtask)).reduce(StageFigures::plus);
    }

    private static StageFigures ofSubtask(String operator, int subtask) {
        Map<String, Double> numbers = new HashMap<>();
        VALUES.forEach((key, value) -> {
            if (key.operator.equals(operator) && key.subtask == subtask) {
                numbers.put(key.metric, value.doubleValue());
            }
        });
        Histogram durations = HISTOGRAMS.get(new Key(operator, subtask, Figures.OWN_NANOS_PER_RECORD.name()));
        return StageFigures.ofSlot(
                numbers,
                durations == null ? new Histogram(NanosHistogram.DIGITS) : durations,
                CODE.get(new Key(operator, subtask, CodeProfile.METRIC)));
    }
}
