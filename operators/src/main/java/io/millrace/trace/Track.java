package io.millrace.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one thread did, of a {@link Trace}, or one part of a device. Who did it adds, any may read. What one thread did does not overlap, but for what
 * encloses something else.
 */
public final class Track {
    /** 32 bytes each. */
    static final int MOST_EVENTS = 1 << 15;

    /**
     * Something that the thread did.
     *
     * @param beganNanos since the recording began
     * @param mark see {@link Windows#keep}
     */
    record Event(String name, long beganNanos, long nanos, long mark) {}

    private final long originNanos;
    private final String thread;

    /** Guarded by this, as all below. */
    private int count;

    private int stride = 1;
    private @Nullable String[] names = new String[64];
    private long[] began = new long[64];
    private long[] took = new long[64];
    private long[] marks = new long[64];

    /**
     * An empty one.
     *
     * @param originNanos when the recording began, as {@link System#nanoTime} counts
     */
    Track(String thread, long originNanos) {
        this.thread = thread;
        this.originNanos = originNanos;
    }

    String thread() {
        return thread;
    }

    /** One window of so many is kept, a power of two. */
    synchronized int stride() {
        return stride;
    }

    /** The calling thread did something, from when to when, as {@link System#nanoTime} counts. */
    public void add(String name, long beganNanoTime, long endedNanoTime) {
        put(name, beganNanoTime, endedNanoTime, Windows.UNMARKED);
    }

    /**
     * The same, with a micro-batch that other threads have or had.
     *
     * @param microBatch a number that is its alone in the run, at least 0
     */
    public void addOf(long microBatch, String name, long beganNanoTime, long endedNanoTime) {
        put(name, beganNanoTime, endedNanoTime, microBatch);
    }

    /** The same of something that comes seldom, and is kept whenever it is. */
    public void addRare(String name, long beganNanoTime, long endedNanoTime) {
        put(name, beganNanoTime, endedNanoTime, Windows.RARE);
    }

    private void put(String name, long beganNanoTime, long endedNanoTime, long mark) {
        long from = beganNanoTime - originNanos;
        long to = endedNanoTime - originNanos;
        // The common case first, without the lock.
        if (from < 0 || !Windows.keep(from, to, mark, 1)) {
            return;
        }
        synchronized (this) {
            if (!Windows.keep(from, to, mark, stride)) {
                return;
            }
            if (count == MOST_EVENTS) {
                makeRoom();
                if (!Windows.keep(from, to, mark, stride)) {
                    return;
                }
            }
            store(new Event(name, from, to - from, mark));
        }
    }

    /** Adds what was kept before, whatever is kept now. */
    synchronized void store(Event event) {
        if (count == began.length) {
            names = Arrays.copyOf(names, 2 * count);
            began = Arrays.copyOf(began, 2 * count);
            took = Arrays.copyOf(took, 2 * count);
            marks = Arrays.copyOf(marks, 2 * count);
        }
        names[count] = event.name;
        began[count] = event.beganNanos;
        took[count] = event.nanos;
        marks[count] = event.mark;
        count++;
    }

    /** Takes what was kept before for kept with one window of so many. */
    synchronized void thinned(int every) {
        stride = every;
    }

    private void makeRoom() {
        while (count > MOST_EVENTS / 2 && stride < Windows.MOST_STRIDE) {
            stride *= 2;
            thin();
        }
        // All of them are in one window: those from now on do without the rest of it.
        count = Math.min(count, MOST_EVENTS / 2);
    }

    private void thin() {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (Windows.keep(began[i], began[i] + took[i], marks[i], stride)) {
                names[kept] = names[i];
                began[kept] = began[i];
                took[kept] = took[i];
                marks[kept] = marks[i];
                kept++;
            }
        }
        count = kept;
    }

    /** What is kept with one window of so many, at least as many as {@link #stride}; in the order in which it was added. */
    synchronized List<Event> events(int every) {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (Windows.keep(began[i], began[i] + took[i], marks[i], every)) {
                events.add(new Event(String.valueOf(names[i]), began[i], took[i], marks[i]));
            }
        }
        return events;
    }
}
