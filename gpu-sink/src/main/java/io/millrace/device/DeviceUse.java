package io.millrace.device;

import io.millrace.lifecycle.Handles;
import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a device's use, measured by timed events on its streams: the speed of copies, the part of them that
 * passes while the engine works, and the time for which the engine waits for them.
 *
 * <p>All steps are timed. One of {@link #SAMPLED} copies is timed. Every copy is timed while there is a {@linkplain
 * #listen listener}, and from {@link #timeAllCopies} to {@link #timeSomeCopies}. No thread waits: times are read later,
 * when their events have passed, and a copy or step that finds no free event is not timed. The thread that copies and
 * the thread that trains call the methods; any thread may read the figures.
 *
 * <p><b>Accuracy.</b> The time of a copy begins with an event before it. On an otherwise idle stream that event passes
 * when it is recorded, before the copy itself is enqueued, so that some microseconds too many are counted. The time of
 * a step includes the gaps between two pieces of the engine's work.
 */
public final class DeviceUse implements AutoCloseable {
    /**
     * The receiver of finished work, called on one of the threads that enqueue work; times are as of {@link
     * System#nanoTime}.
     */
    public interface Listener {
        /** Counts a run of copies that is done. */
        void copied(long beganNanos, long endedNanos);

        /** Counts the engine's work on a batch, which is done. */
        void stepped(long beganNanos, long endedNanos);
    }

    /**
     * Sums since the device was opened.
     *
     * @param copiedBytes the bytes of the timed copies
     * @param copyNanos the duration of these copies
     * @param hiddenNanos the part of this duration in which the engine worked
     * @param engineNanos the time in which the engine worked on batches
     * @param engineWaitNanos the time in which the engine had finished all earlier work and waited for a batch's copies
     */
    public record Sums(long copiedBytes, long copyNanos, long hiddenNanos, long engineNanos, long engineWaitNanos)
            implements Serializable {
        /** Returns the part of the copies' time in which the engine worked, 0 to 1; null without copies. */
        public @Nullable Double overlap() {
            return copyNanos == 0 ? null : Double.valueOf(Math.min(1, (double) hiddenNanos / copyNanos));
        }

        /** Returns the differences between these sums and earlier ones. */
        public Sums since(Sums earlier) {
            return new Sums(
                    copiedBytes - earlier.copiedBytes,
                    copyNanos - earlier.copyNanos,
                    hiddenNanos - earlier.hiddenNanos,
                    engineNanos - earlier.engineNanos,
                    engineWaitNanos - earlier.engineWaitNanos);
        }
    }

    /**
     * The number of copies of which one is timed: two events need about 2 us, and the copy of a micro-batch of 1 MB 20
     * us and more.
     */
    static final int SAMPLED = 8;

    /** The number of pending copies that can be timed, when copies are sampled and when all are timed. */
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
        final DeviceEvent enqueued;
        final DeviceEvent began;
        final DeviceEvent ended;
        EngineWork work = EngineWork.UNTIMED;

        Step(DeviceEvent enqueued, DeviceEvent began, DeviceEvent ended) {
            this.enqueued = enqueued;
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

    /** Volatile: written under the lock, read by any thread. */
    private volatile Sums latest = new Sums(0, 0, 0, 0, 0);

    /** Volatile: the thread that trains sets it, any thread reads it. */
    private volatile boolean hasBegun;

    /** Volatile: any thread sets them, and the threads that copy and train read them. */
    private volatile @Nullable Listener listener;

    private volatile boolean all;

    /** Only the thread that copies uses these two, without the lock: most copies are not timed. */
    private long copyRuns;

    private @Nullable Copies begun;

    // All fields below are guarded by this.
    private final Deque<Copies> copies = new ArrayDeque<>();
    private final Deque<Copies> spareCopies = new ArrayDeque<>();
    private final Deque<Step> steps = new ArrayDeque<>();
    private final Deque<Step> spareSteps = new ArrayDeque<>();
    private final Deque<Span> lately = new ArrayDeque<>();
    private @Nullable Step stepping;
    private int madeCopies;
    private int madeSteps;
    private long copiedBytes;
    private long copyNanos;
    private long hiddenNanos;
    private long engineNanos;
    private long engineWaitNanos;

    /** Measures a device, which closes this. */
    DeviceUse(Device device) {
        this.device = device;
    }

    /** Sets the listener, and times all copies from now on if there are free events. */
    public void listen(Listener hearing) {
        listener = hearing;
    }

    /** Times all copies from now on, of which at most {@value #MOST_COPIES} may be pending at a time. */
    public void timeAllCopies() {
        all = true;
    }

    /** Returns to timing only a sample of the copies. */
    public void timeSomeCopies() {
        all = false;
    }

    /** Notes that copies begin. The thread calls it before it enqueues them on the stream of copies. */
    void copying() {
        if (copyRuns++ % SAMPLED != 0 && listener == null && !all) {
            return;
        }
        Copies next = spare();
        if (next != null) {
            device.copies().record(next.began);
            begun = next;
        }
    }

    /** Returns events for a run of copies; null when all are in use. */
    private synchronized @Nullable Copies spare() {
        settle();
        Copies next = spareCopies.poll();
        if (next == null && madeCopies < (all ? MOST_COPIES : MOST_SAMPLES)) {
            madeCopies++;
            next = new Copies(timed(), timed());
        }
        return next;
    }

    /** Notes the end of copies of {@code bytes} bytes. The thread calls it after it has enqueued them. */
    void copied(long bytes) {
        Copies now = begun;
        if (now != null) {
            begun = null;
            now.bytes = bytes;
            device.copies().record(now.ended);
            synchronized (this) {
                copies.add(now);
            }
        }
    }

    /** Notes that a step is enqueued. The thread calls it before it makes the engine's stream wait for a batch. */
    synchronized void stepEnqueued() {
        hasBegun = true;
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
            next.work = new EngineWork(this);
            device.engine().record(next.enqueued);
            stepping = next;
        }
    }

    /**
     * Notes the begin of a step. The thread calls it after it has made the engine's stream wait for the batch. Work that
     * is enqueued from now on is the engine's work on the batch.
     */
    synchronized void stepBegan() {
        if (stepping != null) {
            device.engine().record(stepping.began);
            steps.add(stepping);
        }
    }

    /** Returns the engine's work on the batch. The thread calls it when it has enqueued all of this work. */
    synchronized EngineWork stepEnded() {
        Step now = stepping;
        if (now == null) {
            return EngineWork.UNTIMED;
        }
        stepping = null;
        device.engine().record(now.ended);
        return now.work;
    }

    /** Returns whether work on a batch has been enqueued. Does not use the device. */
    boolean hasBegun() {
        return hasBegun;
    }

    /** Reads the times of work that is done by now; does not wait. */
    synchronized void readTimes() {
        settle();
    }

    /** Waits for work, and reads its times. */
    void awaitTimes(EngineWork work) {
        DeviceEvent last = null;
        synchronized (this) {
            for (Step step : steps) {
                if (step.work == work) {
                    last = step.ended;
                }
            }
        }
        if (last != null) {
            last.synchronize(); // without the lock, which the thread that copies needs
        }
        readTimes();
    }

    private DeviceEvent timed() {
        return handles.add(device.timedEvent());
    }

    /** Reads the times of work that is done by now. */
    private void settle() {
        Listener heard = listener;
        boolean changed = false;
        for (Step first = steps.peek(); first != null && first != stepping; first = steps.peek()) {
            if (!first.ended.isDone()) {
                break;
            }
            steps.remove();
            spareSteps.push(first);
            changed = true;
            EngineWork.Times times = new EngineWork.Times(
                    first.enqueued.passedNanos(), first.began.passedNanos(), first.ended.passedNanos());
            first.work.timed(times);
            Span span = new Span(times.beganNanos(), times.endedNanos());
            engineNanos += span.ended - span.began;
            engineWaitNanos += times.copyWaitNanos();
            lately.add(span);
            if (lately.size() > MOST_STEPS) {
                lately.remove();
            }
            if (heard != null) {
                heard.stepped(span.began, span.ended);
            }
        }
        for (Copies first = copies.peek(); first != null && first.ended.isDone(); first = copies.peek()) {
            copies.remove();
            spareCopies.push(first);
            changed = true;
            Span span = new Span(first.began.passedNanos(), first.ended.passedNanos());
            copiedBytes += first.bytes;
            copyNanos += span.ended - span.began;
            hiddenNanos += hidden(span);
            if (heard != null) {
                heard.copied(span.began, span.ended);
            }
        }
        if (changed) {
            latest = new Sums(copiedBytes, copyNanos, hiddenNanos, engineNanos, engineWaitNanos);
        }
    }

    /** Returns the time of a finished copy in which the engine worked. */
    private long hidden(Span copy) {
        long hidden = 0;
        for (Span step : lately) {
            hidden += copy.common(step);
        }
        for (Step step : steps) {
            if (step.began.isDone()) {
                // A step that is not done by now lasts longer than the copy did.
                boolean working = step == stepping || !step.ended.isDone();
                long ended = working ? Long.MAX_VALUE : step.ended.passedNanos();
                hidden += copy.common(new Span(step.began.passedNanos(), ended));
            }
        }
        return hidden;
    }

    /** Returns the sums up to now; the device must be open. */
    public synchronized Sums sums() {
        settle();
        return latest;
    }

    /** Returns the sums as of the latest copy or step. Does not use the device, which may be closed. */
    public Sums latest() {
        return latest;
    }

    /** Waits for the timed work, and closes the events. Closing again does nothing. */
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
