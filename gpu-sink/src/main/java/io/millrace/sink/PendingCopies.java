package io.millrace.sink;

import io.millrace.batch.MicroBatch;
import io.millrace.device.Device;
import io.millrace.device.DeviceEvent;
import io.millrace.lifecycle.Handles;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Micro-batches whose rows are on their way to the device: each is closed, and its memory free for the next, when the
 * copies that were asked for until it came here are done. The task's thread alone calls.
 */
final class PendingCopies implements AutoCloseable {
    private record Sent(MicroBatch microBatch, DeviceEvent done) {}

    private final Device device;
    private final Deque<Sent> sent = new ArrayDeque<>();
    private final Deque<DeviceEvent> spare = new ArrayDeque<>();

    /** Of copies on this device, which is not owned. */
    PendingCopies(Device device) {
        this.device = device;
    }

    /** Closes it when its rows are copied, at once where they are. Takes ownership, also when it fails. */
    void closeWhenSent(MicroBatch microBatch) {
        sent.add(new Sent(microBatch, recorded(microBatch)));
        closeSent();
    }

    private DeviceEvent recorded(MicroBatch microBatch) {
        Handles onFailure = new Handles();
        onFailure.add(microBatch);
        onFailure.add(device.copies()::synchronize); // nothing else tells when the copies are done
        return onFailure.closeOnFailure(() -> {
            DeviceEvent event = spare.isEmpty() ? onFailure.add(device.event()) : onFailure.add(spare.pop());
            device.copies().record(event);
            return event;
        });
    }

    /** Closes those whose copies are done by now. */
    void closeSent() {
        while (!sent.isEmpty() && sent.peek().done.isDone()) {
            Sent first = sent.remove();
            spare.push(first.done);
            first.microBatch.close();
        }
    }

    /** How many are not closed yet. */
    int size() {
        return sent.size();
    }

    /** Waits for all copies, and closes what is left. */
    @Override
    public void close() {
        try (Handles all = new Handles()) {
            spare.forEach(all::add);
            for (Sent each : sent) {
                all.add(each.done);
                all.add(each.microBatch);
            }
            spare.clear();
            sent.clear();
            all.add(device.copies()::synchronize);
        }
    }
}
