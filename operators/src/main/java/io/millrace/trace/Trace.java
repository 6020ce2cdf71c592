package io.millrace.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the threads of this process did for one {@link Recording}: from the first of its tasks that joins to the last that
 * leaves, who writes it down. A task whose job is begun again joins another one, which becomes another part.
 *
 * <p>Not everything is kept. Of each second the first 0.1 s are, on all threads of all processes alike, so that in such a
 * window the whole way of the data is seen; and whatever reaches into one; and micro-batches on their way. A thread with
 * too many events keeps every second window, then every fourth, and so on, so that a long run is seen from its
 * beginning to its end.
 *
 * <p>A task's thread is recorded from when it joins, and so is every thread that it starts from then on.
 */
public final class Trace {
    private static final Logger LOG = LoggerFactory.getLogger(Trace.class);

    /** Guarded by itself. */
    private static final Map<Recording, Trace> OPEN = new HashMap<>();

    private static final AtomicInteger PARTS = new AtomicInteger();

    private static final InheritableThreadLocal<@Nullable Trace> CURRENT = new InheritableThreadLocal<>();

    /** Of each thread, the one that it had last; of this trace or an earlier. */
    private static final ThreadLocal<@Nullable ThreadTrack> THREAD_TRACK = new ThreadLocal<>();

    private record ThreadTrack(Trace trace, Track track) {}

    private final Recording recording;
    private final String process;
    private final long originNanos;

    /** Guarded by {@link #OPEN}. */
    private int joined;

    /** Guarded by this. */
    private final List<Track> tracks = new ArrayList<>();

    private Trace(Recording recording, String process) {
        this.recording = recording;
        this.process = process;
        Instant now = Instant.now();
        long sinceNanos =
                TimeUnit.MILLISECONDS.toNanos(now.getEpochSecond() * 1000 - recording.beganAtMillis()) + now.getNano();
        this.originNanos = System.nanoTime() - sinceNanos;
    }

    /** A task's part in a recording. Closing it again does nothing. */
    public static final class Share implements AutoCloseable {
        private final @Nullable Trace trace;
        private final AtomicBoolean left = new AtomicBoolean();

        private Share(@Nullable Trace trace) {
            this.trace = trace;
        }

        /** Leaves; the last one writes the process's part, or logs why it could not. */
        @Override
        public void close() {
            if (trace != null && left.compareAndSet(false, true)) {
                trace.leave();
            }
        }
    }

    /**
     * Lets the calling thread, and those that it starts, be recorded.
     *
     * @param recording null: they are not
     * @param process what this process is called by people
     */
    public static Share join(@Nullable Recording recording, String process) {
        if (recording == null) {
            CURRENT.remove(); // a thread inherits what its maker had, who may have been of another job
            return new Share(null);
        }
        synchronized (OPEN) {
            Trace trace = OPEN.computeIfAbsent(recording, asked -> new Trace(asked, process));
            trace.joined++;
            CURRENT.set(trace);
            return new Share(trace);
        }
    }

    /** The calling thread's, to be kept by whoever records; null where nothing is recorded. */
    public static @Nullable Track track() {
        Trace trace = CURRENT.get();
        if (trace == null) {
            return null;
        }
        ThreadTrack mine = THREAD_TRACK.get();
        if (mine == null || mine.trace != trace) {
            mine = new ThreadTrack(trace, trace.newTrack(Thread.currentThread().getName()));
            THREAD_TRACK.set(mine);
        }
        return mine.track;
    }

    /**
     * A line for what is no thread, as a device's work, in the recording of the calling thread; null where nothing is
     * recorded. Whoever asked keeps it; any thread may add to it.
     */
    public static @Nullable Track track(String name) {
        Trace trace = CURRENT.get();
        return trace == null ? null : trace.newTrack(name);
    }

    private Track newTrack(String name) {
        Track track = new Track(name, originNanos);
        synchronized (this) {
            tracks.add(track);
        }
        return track;
    }

    private void leave() {
        synchronized (OPEN) {
            joined--;
            if (joined > 0) {
                return;
            }
            OPEN.remove(recording);
        }
        CURRENT.remove();
        ProcessTrace part;
        synchronized (this) {
            part = new ProcessTrace(process, tracks);
            tracks.clear(); // threads that inherited this, as those of pools, may live on and hold it
        }
        Path run = Path.of(recording.run());
        try {
            TraceFolder.write(run, part, PARTS.incrementAndGet(), recording.mostEvents());
        } catch (IOException e) {
            // It tells of the run; it is not the run.
            LOG.warn("what this process did for the run in {} could not be written", run, e);
        }
    }
}
