package io.millrace.metrics;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who did what when: a recording of what the threads of this process did, off until it is asked for.
 *
 * <p>Not everything is kept. Of each {@link #PERIOD_NANOS} the first {@link #WINDOW_NANOS} are, on all threads alike, so that
 * in such a window the whole way of the data is seen; and whatever reaches into one. A thread with too many events keeps
 * every second window, then every fourth, and so on, so that a long run is seen from its beginning to its end.
 *
 * <p>Any thread may record; a recording is begun before the threads that shall be on it, and read when they have ended.
 */
public final class Trace {
    /** Of a period. */
    static final long WINDOW_NANOS = 100_000_000;

    /** From the beginning of one window to that of the next. */
    static final long PERIOD_NANOS = 1_000_000_000;

    /** Of one thread: 24 bytes each. */
    static final int MOST_EVENTS = 1 << 15;

    /** Volatile: set before the threads that look at it begin, but by another. */
    private static volatile @Nullable Trace current;

    /** Of each thread, the one that it had last; of this recording or an earlier. */
    private static final ThreadLocal<@Nullable Track> MINE = new ThreadLocal<>();

    private final long originNanos;

    /** Guarded by this. */
    private final List<Track> tracks = new ArrayList<>();

    /** A recording that begins at that time, as {@link System#nanoTime} counts. */
    Trace(long originNanos) {
        this.originNanos = originNanos;
    }

    /** Begins a recording of this process, in place of an earlier one. */
    public static Trace begin() {
        Trace begun = new Trace(System.nanoTime());
        current = begun;
        return begun;
    }

    /** Ends the recording: threads that begin from now on are not on it. */
    public static void end() {
        current = null;
    }

    /** The calling thread's, to be kept by whoever records; null where nothing is recorded. */
    public static @Nullable Track track() {
        Trace trace = current;
        if (trace == null) {
            return null;
        }
        Track mine = MINE.get();
        if (mine == null || !mine.isOf(trace)) {
            mine = trace.newTrack();
            MINE.set(mine);
        }
        return mine;
    }

    private Track newTrack() {
        Track track = new Track(this, Thread.currentThread().getName());
        synchronized (this) {
            tracks.add(track);
        }
        return track;
    }

    /** All threads that were recorded, in the order in which they began. */
    public synchronized List<Track> tracks() {
        return List.copyOf(tracks);
    }

    /** Nanoseconds since the recording began. */
    long since(long nanoTime) {
        return nanoTime - originNanos;
    }
}
