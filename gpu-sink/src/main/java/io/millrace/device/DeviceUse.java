package io.millrace.device;

import io.millrace.lifecycle.Handles;
import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What a device is kept busy with, by timed events on its streams: how fast copies come in, which part of them passes while
 * the engine works, and how long the engine waits for them.
 *
 * <p>Steps are all timed; of copies one in {@link #SAMPLED}, and all while somebody {@linkplain #listen listens} or
 * {@linkplain #timeAllCopies asks for it}. Nothing waits: times are read later, when their events have passed, and what
 * finds no free event is not timed. The thread that copies and the one that trains call; figures may be read by any.
 *
 * <p><b>How exact.</b> A copy's time begins with an event before it. On a stream with nothing else to do that passes when it
 * is recorded, before the copy itself is asked for, so that some microseconds too many are counted. A step's time includes
 * what the engine stands still between two pieces of its work.
 */
public final class DeviceUse implements AutoCloseable {
    /** Hears of work that is done, on one of the threads that call; times as {@link System#nanoTime} counts. */
    public interface Listener {
        /** A run of copies. */
        void copied(long beganNanos, long endedNanos);

        /** The engine's work on a batch. */
        void stepped(long beganNanos, long endedNanos);
    }

    /**
     * Sums since the device was opened.
     *
     * @param copiedBytes of the copies that were timed
     * @param copyNanos that they took
     * @param hiddenNanos of these, those in which the engine worked
     * @param engineNanos in which the engine worked on batches
     * @param engineWaitNanos in which the engine, done with all before, waited for a batch's copies
     */
    public record Sums(long copiedBytes, long copyNanos, long hiddenNanos, long engineNanos, long engineWaitNanos)
            implements Serializable {
        /** Which part of the copies' time passed while the engine worked, 0 to 1; null when there were none. */
        public @Nullable Double overlap() {
            return copyNanos == 0 ? null : Double.valueOf(Math.min(1, (double) hiddenNanos / copyNanos));
        }

        /** What was added since. */
        public Sums since(Sums earlier) {
            return new Sums(
                    copiedBytes - earlier.copiedBytes,
                    copyNanos - earlier.copyNanos,
                    hiddenNanos - earlier.hiddenNanos,
                    engineNanos - earlier.engineNanos,
                    engineWaitNanos - earlier.engineWaitNanos);
        }
    }

    /** One copy of so many is timed: two events are about 2 us, a micro-batch of 4 MB takes 80 us and more. */
    static final int SAMPLED = 8;

    /** Copies under way that can be timed: of those that are sampled, and of all where all are. */
    private static final int MOST_SAMPLES = 64;

    private static final int MOST_COPIES = 512;
    private static final int MOST_STEPS = 64;

    private static final class Copies {
        final DeviceEvent began;
        final DeviceEvent ended;
        long bytes;

        Copies(DeviceEvent began, DeviceEvent ended) {
            this.began = began;
            this.ended = ended;
        }
    }

    private static final class Step {
        final DeviceEvent asked;
        final DeviceEvent began;
        final DeviceEvent ended;

        Step(DeviceEvent asked, DeviceEvent began, DeviceEvent ended) {
            this.asked = asked;
            this.began = began;
            this.ended = ended;
        }
    }

    private record Span(long began, long ended) {
        long common(Span other) {
            return Math.max(0, Math.min(ended, other.ended) - Math.max(began, other.began));
        }
    }

    private final Device device;
    private final Handles handles = new Handles();

    /** Written under the lock, read by any. */
    private volatile Sums latest = new Sums(0, 0, 0, 0, 0);

    /** All below is guarded by this. */
    private final Deque<Copies> copies = new ArrayDeque<>();

    private final Deque<Copies> spareCopies = new ArrayDeque<>();
    private final Deque<Step> steps = new ArrayDeque<>();
    private final Deque<Step> spareSteps = new ArrayDeque<>();
    private final Deque<Span> lately = new ArrayDeque<>();
    private @Nullable Listener listener;
    private @Nullable Copies begun;
    private @Nullable Step stepping;
    private boolean all;
    private int madeCopies;
    private int madeSteps;
    private long asked;
    private long copiedBytes;
    private long copyNanos;
    private long hiddenNanos;
    private long engineNanos;
    private long engineWaitNanos;

    /** Of that device, which closes it. */
    DeviceUse(Device device) {
        this.device = device;
    }

    /** From now on all copies are timed, as far as there are events. */
    public synchronized void listen(Listener hearing) {
        listener = hearing;
    }

    /** From now on all copies are timed, of which at most {@value #MOST_COPIES} are under way at a time. */
    public synchronized void timeAllCopies() {
        all = true;
    }

    /** From now on as many are timed as at first. */
    public synchronized void timeSomeCopies() {
        all = false;
    }

    /** Copies are about to be asked for on the stream of copies, by the calling thread. */
    synchronized void copying() {
        if (asked++ % SAMPLED != 0 && listener == null && !all) {
            return;
        }
        settle();
        Copies next = spareCopies.poll();
        if (next == null && madeCopies < (all ? MOST_COPIES : MOST_SAMPLES)) {
            madeCopies++;
            next = new Copies(timed(), timed());
        }
        if (next != null) {
            device.copies().record(next.began);
            begun = next;
        }
    }

    /** They have been asked for, so many bytes. */
    synchronized void copied(long bytes) {
        Copies now = begun;
        if (now != null) {
            begun = null;
            now.bytes = bytes;
            device.copies().record(now.ended);
            copies.add(now);
        }
    }

    /** The engine is about to be told to wait for a batch. */
    synchronized void stepEnqueued() {
        Step broken = stepping;
        if (broken != null) { // begun and never ended, as when training failed
            stepping = null;
            steps.remove(broken);
            spareSteps.push(broken);
        }
        settle();
        Step next = spareSteps.poll();
        if (next == null && madeSteps < MOST_STEPS) {
            madeSteps++;
            next = new Step(timed(), timed(), timed());
        }
        if (next != null) {
            device.engine().record(next.asked);
            stepping = next;
        }
    }

    /** It has been told so: what is asked for from now on is its work. */
    synchronized void stepBegan() {
        if (stepping != null) {
            device.engine().record(stepping.began);
            steps.add(stepping);
        }
    }

    /** All its work on the batch has been asked for. */
    synchronized void stepEnded() {
        Step now = stepping;
        if (now != null) {
            stepping = null;
            device.engine().record(now.ended);
        }
    }

    private DeviceEvent timed() {
        return handles.add(device.timedEvent());
    }

    /** Reads the times of what is done by now. */
    private void settle() {
        for (Step first = steps.peek(); first != null && first != stepping; first = steps.peek()) {
            if (!first.ended.isDone()) {
                break;
            }
            steps.remove();
            spareSteps.push(first);
            Span span = new Span(first.began.passedNanos(), first.ended.passedNanos());
            engineNanos += span.ended - span.began;
            engineWaitNanos += Math.max(0, span.began - first.asked.passedNanos());
            lately.add(span);
            if (lately.size() > MOST_STEPS) {
                lately.remove();
            }
            if (listener != null) {
                listener.stepped(span.began, span.ended);
            }
        }
        for (Copies first = copies.peek(); first != null && first.ended.isDone(); first = copies.peek()) {
            copies.remove();
            spareCopies.push(first);
            Span span = new Span(first.began.passedNanos(), first.ended.passedNanos());
            copiedBytes += first.bytes;
            copyNanos += span.ended - span.began;
            hiddenNanos += hidden(span);
            if (listener != null) {
                listener.copied(span.began, span.ended);
            }
        }
        latest = new Sums(copiedBytes, copyNanos, hiddenNanos, engineNanos, engineWaitNanos);
    }

    /** Of a copy that is done. */
    private long hidden(Span copy) {
        long hidden = 0;
        for (Span step : lately) {
            hidden += copy.common(step);
        }
        for (Step step : steps) {
            if (step.began.isDone()) {
                // One that is not done by now works on for longer than the copy did.
                boolean working = step == stepping || !step.ended.isDone();
                long ended = working ? Long.MAX_VALUE : step.ended.passedNanos();
                hidden += copy.common(new Span(step.began.passedNanos(), ended));
            }
        }
        return hidden;
    }

    /** What is known by now; the device is open. */
    public synchronized Sums sums() {
        settle();
        return latest;
    }

    /** What was known at the latest copy or step; asks nothing of the device, which may be closed. */
    public Sums latest() {
        return latest;
    }

    /** Waits for what is timed, and lets go of the events. Closing again does nothing. */
    @Override
    public synchronized void close() {
        if (madeCopies + madeSteps == 0) {
            return;
        }
        try (Handles all = new Handles()) {
            all.add(handles);
            all.add(() -> device.engine().synchronize());
            all.add(() -> device.copies().synchronize());
        }
    }
}
