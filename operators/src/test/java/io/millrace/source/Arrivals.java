package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The positions that arrived at the sinks of a served run in this JVM, by generation, and everything that was wrong with
 * them. A sink that adds to a full generation waits for the next seek.
 */
final class Arrivals {
    private static final ConcurrentMap<String, Arrivals> RUNS = new ConcurrentHashMap<>();
    private static final long PATIENCE_SECONDS = 300;

    private final int capacity;
    private final TreeMap<Long, Generation> begun = new TreeMap<>();
    private final List<String> wrong = new ArrayList<>();
    private long latest;
    private int failures;

    /** A generation that has begun. */
    private static final class Generation {
        private final long from;
        private final Set<Long> positions = new HashSet<>();

        /** The number of consecutive positions that have arrived. */
        private int consecutive;

        Generation(long from) {
            this.from = from;
        }

        private boolean add(long position) {
            boolean isNew = positions.add(position);
            while (positions.contains(from + consecutive)) {
                consecutive++;
            }
            return isNew;
        }
    }

    private Arrivals(int capacity) {
        this.capacity = capacity;
    }

    /**
     * Begins a run.
     *
     * @param capacity the number of consecutive samples of a generation after which a sink waits
     */
    static Arrivals begin(String run, int capacity) {
        return RUNS.computeIfAbsent(run, name -> new Arrivals(capacity));
    }

    static Arrivals of(String run) {
        Arrivals arrivals = RUNS.get(run);
        if (arrivals == null) {
            throw new IllegalStateException("no test runs " + run);
        }
        return arrivals;
    }

    static void end(String run) {
        RUNS.remove(run);
    }

    /** Makes the next call of {@link #passOrFail} fail, and lets the sinks accept samples until then. */
    synchronized void failOnce() {
        failures++;
        notifyAll();
    }

    /** Fails once after {@link #failOnce}. */
    synchronized void passOrFail() {
        if (failures > 0) {
            failures--;
            throw new IllegalStateException("planned failure");
        }
    }

    /** Records a seek, so that sinks wait no longer for free memory of older generations. */
    synchronized void seek(long generation) {
        latest = Math.max(latest, generation);
        notifyAll();
    }

    synchronized void begin(long generation, long position) {
        begun.put(generation, new Generation(position));
        notifyAll();
    }

    /** Adds a sample that arrived after the watermark of a generation. */
    synchronized void add(long number, long position) throws InterruptedException {
        Generation generation = begun.get(number);
        if (generation == null) {
            wrong.add("position " + position + " arrived in generation " + number + ", which has not begun");
            return;
        }
        if (position < generation.from) {
            wrong.add("position " + position + " arrived in generation " + number + ", from " + generation.from);
        }
        if (!generation.add(position)) {
            wrong.add("position " + position + " arrived twice in generation " + number);
        }
        notifyAll();
        while (latest == number && generation.consecutive >= capacity && failures == 0) {
            wait();
        }
    }

    /**
     * Waits until this many consecutive positions have arrived in a generation from the given position on.
     *
     * @param from the first generation that counts, which a restart may have overtaken
     * @return the number of the generation
     */
    synchronized long await(long from, long position, int count) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            assertThat(wrong).isEmpty();
            for (Map.Entry<Long, Generation> entry : begun.tailMap(from).entrySet()) {
                Generation generation = entry.getValue();
                if (generation.from == position && generation.consecutive >= count) {
                    return entry.getKey();
                }
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (millis <= 0) {
                throw new TimeoutException("expected " + count + " samples from position " + position
                        + " in a generation from " + from + " on, found " + last());
            }
            wait(millis);
        }
    }

    private @Nullable String last() {
        Map.Entry<Long, Generation> last = begun.lastEntry();
        return last == null
                ? null
                : last.getValue().consecutive + " samples from position " + last.getValue().from + " in generation "
                        + last.getKey();
    }

    /** Returns the number of samples that have arrived in a generation. */
    synchronized int count(long generation) {
        Generation found = begun.get(generation);
        return found == null ? 0 : found.positions.size();
    }

    synchronized List<String> wrong() {
        return List.copyOf(wrong);
    }
}
