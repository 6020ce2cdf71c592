package io.millrace.metrics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one thread did, of a {@link Trace}. That thread adds, any may read. */
public final class Track {
    /**
     * Something that the thread did.
     *
     * @param beganNanos since the recording began
     */
    public record Event(String name, long beganNanos, long nanos) {}

    private final Trace trace;
    private final String thread;

    /** Guarded by this, as all below. */
    private int count;

    private int stride = 1;
    private @Nullable String[] names = new String[64];
    private long[] began = new long[64];
    private long[] took = new long[64];

    Track(Trace trace, String thread) {
        this.trace = trace;
        this.thread = thread;
    }

    boolean isOf(Trace recording) {
        return trace == recording;
    }

    /** The thread's name. */
    public String thread() {
        return thread;
    }

    /** One window of so many is kept, a power of two. */
    public synchronized int stride() {
        return stride;
    }

    /** The calling thread did something, from when to when, as {@link System#nanoTime} counts. */
    public void add(String name, long beganNanoTime, long endedNanoTime) {
        long from = trace.since(beganNanoTime);
        long to = trace.since(endedNanoTime);
        // The common case first, without the lock.
        if (from < 0 || !within(from, to, 1)) {
            return;
        }
        synchronized (this) {
            if (!within(from, to, stride)) {
                return;
            }
            if (count == began.length) {
                makeRoom();
                if (!within(from, to, stride)) {
                    return;
                }
            }
            names[count] = name;
            began[count] = from;
            took[count] = to - from;
            count++;
        }
    }

    /** Whether something reaches into a window that is kept. */
    private static boolean within(long from, long to, int stride) {
        long period = stride * Trace.PERIOD_NANOS;
        long phase = from % period;
        return phase < Trace.WINDOW_NANOS || phase + (to - from) >= period;
    }

    private void makeRoom() {
        if (count < Trace.MOST_EVENTS) {
            names = Arrays.copyOf(names, 2 * count);
            began = Arrays.copyOf(began, 2 * count);
            took = Arrays.copyOf(took, 2 * count);
            return;
        }
        while (count > Trace.MOST_EVENTS / 2 && stride < 1 << 20) {
            stride *= 2;
            thin();
        }
        // All of them are in one window: those from now on do without the rest of it.
        count = Math.min(count, Trace.MOST_EVENTS / 2);
    }

    private void thin() {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (within(began[i], began[i] + took[i], stride)) {
                names[kept] = names[i];
                began[kept] = began[i];
                took[kept] = took[i];
                kept++;
            }
        }
        count = kept;
    }

    /** What is kept with one window of so many, at least as many as {@link #stride}; in the order in which it ended. */
    public synchronized List<Event> events(int every) {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (within(began[i], began[i] + took[i], every)) {
                events.add(new Event(String.valueOf(names[i]), began[i], took[i]));
            }
        }
        return events;
    }
}
