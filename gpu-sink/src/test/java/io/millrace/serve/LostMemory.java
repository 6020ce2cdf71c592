package io.millrace.serve;

import io.millrace.device.BufferDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.order.BatchPlan;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/** A server whose client makes the shared file shorter, between two of many batches. It prints the failure. */
final class LostMemory {
    private LostMemory() {}

    /** Fills batches in a folder. */
    public static void main(String[] arguments) throws IOException {
        int capacity = 64;
        BufferLayout layout = BufferLayout.of(RandomBatch.SPEC, capacity);
        ServerFile memory = ServerFile.create(Path.of(arguments[0]), 2, layout.bufferBytes());
        FileChannel client = FileChannel.open(memory.path(), StandardOpenOption.WRITE);
        memory.delete();
        BatchPlan plan = new BatchPlan(capacity, capacity, false, 1, 0, 1);
        try (Handles handles = new Handles()) {
            handles.add(client);
            BufferDevice device = handles.add(new BufferDevice(memory, layout.columnOffsets()));
            handles.add(device.allocate(RandomBatch.SPEC, capacity));
            DeviceBatch batch = handles.add(device.allocate(RandomBatch.SPEC, capacity));
            BufferWriter writer = new BufferWriter(layout, memory);
            for (int i = 0; i < 200; i++) { // long enough for compiled code
                serve(batch, plan, writer, i);
            }
            client.truncate(layout.bufferBytes());
            try {
                for (int i = 0; i < 20; i++) {
                    serve(batch, plan, writer, i);
                }
                System.out.println("no failure");
            } catch (Error e) { // an InternalError, or an error that it caused elsewhere
                memory.requireWhole();
                System.out.println("the memory is whole");
            }
        } catch (IOException e) {
            System.out.println("lost: " + e.getMessage());
        }
    }

    private static void serve(DeviceBatch batch, BatchPlan plan, BufferWriter writer, int seed) {
        RandomBatch rows = new RandomBatch(RandomBatch.SPEC, plan.batch(0), 9, new Random(seed));
        rows.fill(batch);
        writer.write(batch, rows.planned(), 1, 1);
    }
}
