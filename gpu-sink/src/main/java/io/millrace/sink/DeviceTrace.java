package io.millrace.sink;

import io.millrace.device.Device;
import io.millrace.device.DeviceUse;
import io.millrace.trace.Trace;
import io.millrace.trace.Track;
import org.jspecify.annotations.Nullable;

/** Puts what a GPU does on the trace, as lines of its own beside the threads'. */
final class DeviceTrace implements DeviceUse.Listener {
    private final Track copies;
    private final Track engine;

    private DeviceTrace(Track copies, Track engine) {
        this.copies = copies;
        this.engine = engine;
    }

    /** Begins, where the calling thread is recorded. */
    static void begin(Device device) {
        @Nullable Track copies = Trace.track(device.told() + ": copies");
        @Nullable Track engine = Trace.track(device.told() + ": engine");
        if (copies != null && engine != null) {
            device.use().listen(new DeviceTrace(copies, engine));
        }
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
