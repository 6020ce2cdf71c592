package io.millrace.sink.trainer;

import io.millrace.device.Device;
import io.millrace.device.DeviceUse;
import io.millrace.trace.Trace;
import io.millrace.trace.Track;
import java.util.Optional;

/** The trace of a GPU's work. Its lines stand beside the lines of the threads. */
final class DeviceTrace implements DeviceUse.Listener {
    private final Track copies;
    private final Track engine;

    private DeviceTrace(Track copies, Track engine) {
        this.copies = copies;
        this.engine = engine;
    }

    /** Returns a trace in the recording of the calling thread; empty when nothing is recorded. */
    static Optional<DeviceTrace> of(Device device) {
        Track copies = Trace.track(device.describe() + ": copies");
        Track engine = Trace.track(device.describe() + ": engine");
        return copies == null || engine == null ? Optional.empty() : Optional.of(new DeviceTrace(copies, engine));
    }

    @Override
    public void copied(long beganNanos, long endedNanos) {
        copies.add("copy", beganNanos, endedNanos);
    }

    @Override
    public void stepped(long beganNanos, long endedNanos) {
        engine.add("step", beganNanos, endedNanos);
    }
}
