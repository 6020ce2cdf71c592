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
 * The events of this process's threads for one {@link Recording}, from the first task that joins to the last task that
 * leaves, which writes the process's part to a file. A task of a job that is restarted joins a new trace, which
 * becomes another part.
 *
 * <p>Not every event is kept. The first 0.1 s of each second are a window. The windows are the same on all threads of
 * all processes, so each window shows the whole path of the data. Events that reach into a window and micro-batches in
 * transit are kept as well. A thread with too many events keeps every second window, then every fourth, and so on, so
 * that a long run is covered from its beginning to its end.
 *
 * <p>The recording of a task's thread begins when the task joins, and includes every thread that it starts later.
 */
public final class Trace {
    private static final Logger LOG = LoggerFactory.getLogger(Trace.class);

    /** Guarded by itself. */
    private static final Map<Recording, Trace> OPEN = new HashMap<>();

    private static final AtomicInteger PARTS = new AtomicInteger();

    private static final InheritableThreadLocal<@Nullable Trace> CURRENT = new InheritableThreadLocal<>();

    /** The track that each thread used last, of this trace or an earlier one. */
    private static final ThreadLocal<@Nullable ThreadTrack> THREAD_TRACK = new ThreadLocal<>();

    private record ThreadTrack(Trace trace, Track track) {}

    private final Recording recording;
    private final String process;
    private final long originNanos;

    /** The number of tasks that have joined and not left. Guarded by {@link #OPEN}. */
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

    /** A task's part in a recording. Closing it a second time does nothing. */
    public static final class Share implements AutoCloseable {
        private final @Nullable Trace trace;
        private final AtomicBoolean left = new AtomicBoolean();

        private Share(@Nullable Trace trace) {
            this.trace = trace;
        }

        /** Leaves the recording. The last task that leaves writes the process's part, or logs why it could not. */
        @Override
        public void close() {
            if (trace != null && left.compareAndSet(false, true)) {
                trace.leave();
            }
        }
    }

    /**
     * Starts the recording of the calling thread and of the threads that it starts.
     *
     * @param recording the recording, or null when these threads are not recorded
     * @param process the name of the process for display
     */
    public static Share join(@Nullable Recording recording, String process) {
        if (recording == null) {
            // A thread inherits the value of the thread that started it, which may belong to another job.
            CURRENT.remove();
            return new Share(null);
        }
        synchronized (OPEN) {
            Trace trace = OPEN.computeIfAbsent(recording, key -> new Trace(key, process));
            trace.joined++;
            CURRENT.set(trace);
            return new Share(trace);
        }
    }

    /** Returns the calling thread's track, which the caller may keep; null when nothing is recorded. */
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
     * Returns a track in the calling thread's recording for work that runs on no thread, such as a device's; null when
     * nothing is recorded. The caller keeps the track, and any thread may add to it.
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
            tracks.clear(); // threads that inherited this trace, such as those of pools, may live on and hold it
        }
        Path run = Path.of(recording.run());
        try {
            TraceFolder.write(run, part, PARTS.incrementAndGet(), recording.mostEvents());
        } catch (IOException e) {
            // A trace describes the run and is not needed for it, so the run goes on.
            LOG.warn("cannot write the trace of this process for the run in {}", run, e);
        }
    }
}
