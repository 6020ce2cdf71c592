package io.millrace.diagnosis.ladder;

import io.millrace.batch.BatchSpec;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.lifecycle.Handles;
import java.util.ArrayList;
import java.util.List;

/**
 * The batches of a {@link TrainerFeed}, one after another without an end. A device that works in the trainer's thread reads
 * batches from host memory in each step, so they are filled once. For an asynchronous device, the rows stay in host memory,
 * and are copied to the device for each step while it works on the step before, as in a run. Used by one thread.
 */
final class FeedBatches implements AutoCloseable {
    /** The device batches of an asynchronous device: one is trained on, and the other is filled. */
    private static final int REFILLED = 2;

    private final Handles handles = new Handles();

    /** The rows in host memory that are copied in turn; empty when the batches are filled once. */
    private final List<PackedBatch> packed = new ArrayList<>();

    private final List<DeviceBatch> batches = new ArrayList<>();

    /** The number of the current batch, from 0. */
    private int current;

    /**
     * Fills the first batches.
     *
     * @param device the device, which the caller closes after this object
     * @param rows the number of rows of a batch, at least 1
     * @param samples the samples of the batches, at least one
     */
    FeedBatches(Device device, BatchSpec spec, int rows, List<CachedSample> samples) {
        int different = Math.max(1, samples.size() / rows);
        handles.closeOnFailure(() -> {
            if (device.isAsynchronous()) {
                for (int number = 0; number < different; number++) {
                    packed.add(handles.add(new PackedBatch(spec, number, rows, samples)));
                }
                for (int i = 0; i < REFILLED; i++) {
                    batches.add(handles.add(device.allocate(spec, rows)));
                }
                packed.get(0).copyTo(current());
            } else {
                for (int number = 0; number < different; number++) {
                    DeviceBatch batch = handles.add(device.allocate(spec, rows));
                    batches.add(batch);
                    try (PackedBatch filling = new PackedBatch(spec, number, rows, samples)) {
                        filling.copyTo(batch);
                        device.copies().synchronize();
                    }
                }
            }
            return batches;
        });
    }

    /** Returns the batch to train on, which is sealed and stays so during the next {@link #advance}. */
    DeviceBatch current() {
        return batches.get(current % batches.size());
    }

    /** Makes the next batch the current one. Its copies may still be under way when this method returns. */
    void advance() {
        current = (current + 1) % (batches.size() * Math.max(1, packed.size()));
        if (!packed.isEmpty()) {
            packed.get(current % packed.size()).copyTo(current());
        }
    }

    /** Waits for the copies and frees all memory. */
    @Override
    public void close() {
        handles.close();
    }
}
