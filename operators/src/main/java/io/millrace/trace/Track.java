package io.millrace.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events of one thread in a {@link Trace}, or of one part of a device. The thread adds its events, and any thread
 * may read them. The events of a thread do not overlap, except that one event may enclose others.
 */
public final class Track {
    /** The largest number of events of a track. An event needs 32 bytes. */
    static final int MOST_EVENTS = 1 << 15;

    /**
     * An event of the thread.
     *
     * @param beganNanos the start in nanoseconds since the recording began
     * @param nanos the duration in nanoseconds
     * @param mark see {@link Windows#keep}
     */
    record Event(String name, long beganNanos, long nanos, long mark) {}

    private final long originNanos;
    private final String thread;

    /** Guarded by this, as all fields below. */
    private int count;

    private int stride = 1;
    private @Nullable String[] names = new String[64];
    private long[] began = new long[64];
    private long[] took = new long[64];
    private long[] marks = new long[64];

    /**
     * Creates an empty track.
     *
     * @param thread the thread's name
     * @param originNanos the start of the recording, as {@link System#nanoTime} counts
     */
    Track(String thread, long originNanos) {
        this.thread = thread;
        this.originNanos = originNanos;
    }

    String thread() {
        return thread;
    }

    /** Returns the stride of the kept windows, a power of two. With stride n, one of n windows is kept. */
    synchronized int stride() {
        return stride;
    }

    /** Adds an event of the calling thread, with start and end as {@link System#nanoTime} counts. */
    public void add(String name, long beganNanoTime, long endedNanoTime) {
        put(name, beganNanoTime, endedNanoTime, Windows.UNMARKED);
    }

    /**
     * Adds an event of a micro-batch. Other threads have events of the same micro-batch.
     *
     * @param microBatch the micro-batch's unique number in the run, at least 0
     */
    public void addForMicroBatch(long microBatch, String name, long beganNanoTime, long endedNanoTime) {
        put(name, beganNanoTime, endedNanoTime, microBatch);
    }

    /** Adds a rare event, which is always kept. */
    public void addRare(String name, long beganNanoTime, long endedNanoTime) {
        put(name, beganNanoTime, endedNanoTime, Windows.RARE);
    }

    private void put(String name, long beganNanoTime, long endedNanoTime, long mark) {
        long from = beganNanoTime - originNanos;
        long to = endedNanoTime - originNanos;
        // The common case comes first, without the lock.
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

    /** Adds an event whether or not this track keeps its window, for events that were read from a file. */
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

    /** Sets the stride of events that were read from a file. */
    synchronized void restoreStride(int every) {
        stride = every;
    }

    private void makeRoom() {
        while (count > MOST_EVENTS / 2 && stride < Windows.MOST_STRIDE) {
            stride *= 2;
            thin();
        }
        // All events are in one window. The later half of them is dropped to make room for new events.
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

    /**
     * Returns the events that are kept with one of {@code every} windows, in the order in which they were added.
     *
     * @param every at least {@link #stride}
     */
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
