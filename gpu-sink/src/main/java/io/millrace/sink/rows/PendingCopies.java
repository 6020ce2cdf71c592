package io.millrace.sink.rows;

import io.millrace.batch.MicroBatch;
import io.millrace.device.Device;
import io.millrace.device.DeviceEvent;
import io.millrace.lifecycle.Handles;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Micro-batches with pending copies of their rows to the device. A micro-batch is closed, and its memory can be used
 * again, when all copies that were enqueued before it was added are done. Only the task's thread calls it.
 */
final class PendingCopies implements AutoCloseable {
    private record Pending(MicroBatch microBatch, DeviceEvent copied) {}

    private final Device device;
    private final Deque<Pending> pending = new ArrayDeque<>();
    private final Deque<DeviceEvent> spare = new ArrayDeque<>();

    /** Starts without micro-batches; the caller owns the device. */
    PendingCopies(Device device) {
        this.device = device;
    }

    /**
     * Closes a micro-batch as soon as its rows are copied, which may be at once. Takes ownership of the micro-batch,
     * even if the call fails.
     */
    void closeWhenCopied(MicroBatch microBatch) {
        pending.add(new Pending(microBatch, recorded(microBatch)));
        closeCopied();
    }

    private DeviceEvent recorded(MicroBatch microBatch) {
        Handles onFailure = new Handles();
        onFailure.add(microBatch);
        onFailure.add(device.copies()::synchronize); // without the event nothing else shows when the copies are done
        return onFailure.closeOnFailure(() -> {
            DeviceEvent event = spare.isEmpty() ? onFailure.add(device.event()) : onFailure.add(spare.pop());
            device.copies().record(event);
            return event;
        });
    }

    /** Closes the micro-batches whose copies are done by now. */
    void closeCopied() {
        while (!pending.isEmpty() && pending.peek().copied.isDone()) {
            Pending first = pending.remove();
            spare.push(first.copied);
            first.microBatch.close();
        }
    }

    /** Waits for all copies, and closes the micro-batches that are left. */
    @Override
    public void close() {
        try (Handles all = new Handles()) {
            spare.forEach(all::add);
            for (Pending each : pending) {
                all.add(each.copied);
                all.add(each.microBatch);
            }
            spare.clear();
            pending.clear();
            all.add(device.copies()::synchronize);
        }
    }
}
