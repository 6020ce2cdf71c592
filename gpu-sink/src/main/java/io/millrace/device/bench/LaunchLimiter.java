package io.millrace.device.bench;

import io.millrace.device.Device;
import io.millrace.device.DeviceEvent;
import io.millrace.device.DeviceStream;
import io.millrace.lifecycle.Handles;

/**
 * Keeps what a stream is asked for and has not done to some hundred pieces of work: a driver holds up whoever asks for more
 * than about a thousand, and perhaps other threads with it. One thread at a time.
 */
final class LaunchLimiter implements AutoCloseable {
    /** An event after so many pieces. */
    private static final int GROUP = 64;

    private static final int GROUPS = 8;

    /** The most that is asked for and not done. */
    static final int MOST = GROUP * (GROUPS + 1);

    private final DeviceStream stream;
    private final DeviceEvent[] done = new DeviceEvent[GROUPS];
    private final Handles handles = new Handles();
    private int asked;
    private int group;

    /** Of a stream, which stays the caller's. */
    LaunchLimiter(Device device, DeviceStream stream) {
        this.stream = stream;
        handles.closeOnFailure(() -> {
            for (int i = 0; i < GROUPS; i++) {
                done[i] = handles.add(device.event());
            }
            handles.add(stream::synchronize); // closed first
            return this;
        });
    }

    /** A piece of work has been asked for; waits where that makes too many. */
    void asked() {
        if (++asked < GROUP) {
            return;
        }
        asked = 0;
        done[group].synchronize();
        stream.record(done[group]);
        group = (group + 1) % GROUPS;
    }

    /** Waits for the work. */
    @Override
    public void close() {
        handles.close();
    }
}
