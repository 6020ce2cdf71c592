package io.millrace.device.bench;

import io.millrace.device.Device;
import io.millrace.device.DeviceEvent;
import io.millrace.device.DeviceStream;
import io.millrace.lifecycle.Handles;

/**
 * A limit of some hundred pieces of pending work on a stream. A driver blocks a thread that enqueues more than about a
 * thousand pieces, and perhaps also other threads. Used by one thread at a time.
 */
final class LaunchLimiter implements AutoCloseable {
    /** The number of pieces between two events. */
    private static final int GROUP = 64;

    private static final int GROUPS = 8;

    /** The largest number of pending pieces. */
    static final int MOST = GROUP * (GROUPS + 1);

    private final DeviceStream stream;
    private final DeviceEvent[] done = new DeviceEvent[GROUPS];
    private final Handles handles = new Handles();
    private int enqueued;
    private int group;

    /** Creates a limit for the work of a stream. The caller owns the stream. */
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

    /** Counts a piece of work that was enqueued, and waits while too many pieces are pending. */
    void enqueued() {
        if (++enqueued < GROUP) {
            return;
        }
        enqueued = 0;
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
