package io.millrace.device;

import io.millrace.device.EngineTimeline.Lap;
import io.millrace.lifecycle.Handles;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The time of a device that works asynchronously, as its events show it, for the thread that trains: how long the engine
 * worked, idled and copied the state. The times of work on batches are read after the work; only {@link #copyEnded} waits.
 */
public final class EngineTime implements AutoCloseable {
    private final Device device;
    private final EngineTimeline timeline = new EngineTimeline();
    private final Handles handles = new Handles();

    /** The events around the copy of the state; null before the first copy. */
    private @Nullable CopyEvents copy;

    private record CopyEvents(DeviceEvent began, DeviceEvent ended) {}

    private EngineTime(Device device) {
        this.device = device;
    }

    /**
     * Starts to measure a device; empty for a device whose engine computes on the thread that calls it. The caller closes
     * the result before the device.
     */
    public static Optional<EngineTime> of(Device device) {
        return device.isAsynchronous() ? Optional.of(new EngineTime(device)) : Optional.empty();
    }

    /**
     * Adds the work on a batch, in the order of the batches, and waits for it if it is not done.
     *
     * @return the times of the work
     * @throws IllegalStateException when the work has no times, because too many batches were enqueued at a time
     */
    public Lap batch(EngineWork work) {
        return timeline.batch(work.times()
                .orElseThrow(() -> new IllegalStateException(
                        "the device has no times of a batch: more batches are pending than the device can time")));
    }

    /** Records the beginning of the copy of the state, which begins after all work so far. */
    public void copyBegins() {
        CopyEvents events = copy;
        if (events == null) {
            events = new CopyEvents(handles.add(device.timedEvent()), handles.add(device.timedEvent()));
            handles.add(device.engine()::synchronize); // closed first: the events may be pending
            copy = events;
        }
        device.engine().record(events.began);
    }

    /** Waits for the end of the copy of the state, and returns its duration. All earlier batches must be added. */
    public long copyEnded() {
        CopyEvents events = copy;
        if (events == null) {
            throw new IllegalStateException("no copy has begun");
        }
        device.engine().record(events.ended);
        events.ended.synchronize();
        return timeline.stateCopy(events.began.passedNanos(), events.ended.passedNanos());
    }

    /** Returns whether the work on a batch was added. */
    public boolean hasBegun() {
        return timeline.hasBegun();
    }

    /** Returns the end of the latest work that was added, as {@link System#nanoTime} counts; NaN before the first batch. */
    public double clockNanos() {
        return timeline.hasBegun() ? timeline.endNanos() : Double.NaN;
    }

    @Override
    public void close() {
        handles.close();
    }
}
