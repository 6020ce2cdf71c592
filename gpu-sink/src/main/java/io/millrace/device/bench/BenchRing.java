package io.millrace.device.bench;

import io.millrace.batch.BatchSpec;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.DeviceUse;
import io.millrace.device.DeviceUse.Sums;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.DType;
import io.millrace.sample.Split;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A ring of batches that one thread fills and another thread uses, like the training operator and its trainer. The
 * calling thread fills the batches. Each row is a micro-batch, so that each micro-batch is one copy.
 */
final class BenchRing implements AutoCloseable {
    private static final int POLL_MILLIS = 100;

    private final Device device;
    private final SourceBlocks source;
    private final int rows;
    private final Handles handles = new Handles();

    /** The filled batches; an empty element marks the end. */
    private final BlockingQueue<Optional<DeviceBatch>> filled = new LinkedBlockingQueue<>();

    private final BlockingQueue<DeviceBatch> free = new LinkedBlockingQueue<>();

    /**
     * Allocates the batches.
     *
     * @param source micro-batches of the given size; the caller owns it
     */
    BenchRing(Device device, SourceBlocks source, int inFlight, int microBatchBytes, int microBatches) {
        this.device = device;
        this.source = source;
        this.rows = microBatches;
        BatchSpec spec = new BatchSpec(List.of(new BatchSpec.Column("bytes", DType.UINT8, List.of(microBatchBytes))));
        handles.closeOnFailure(() -> {
            for (int i = 0; i < inFlight; i++) {
                free.add(handles.add(device.allocate(spec, microBatches)));
            }
            return this;
        });
    }

    /**
     * Fills and uses batches as fast as possible. The engine does no work on them.
     *
     * @return the time from the beginning of the first copy to the end of the last, in nanoseconds
     */
    long copy(int batches, CopyMode mode) {
        long began = System.nanoTime();
        run(batches, mode, () -> {}, begun -> {});
        return System.nanoTime() - began;
    }

    /**
     * Fills and uses batches. The engine works on each batch.
     *
     * @param batches the number of batches, at least 2
     * @param step the action that enqueues the work on one batch
     * @return the sums by the device's own events, without the copies of the first batch, because the engine has no
     *     work during them
     */
    Sums copyBeside(int batches, CopyMode mode, Runnable step) {
        DeviceUse use = device.use();
        Sums[] first = new Sums[1];
        use.timeAllCopies();
        try {
            run(batches, mode, step, begun -> {
                device.copies().synchronize();
                begun.join();
                first[0] = use.sums();
            });
            return use.sums().since(first[0]);
        } finally {
            use.timeSomeCopies();
        }
    }

    /**
     * Fills and uses batches, and returns when all work is done.
     *
     * @param afterFirst the action that runs once the copies of the first batch are enqueued; its argument completes
     *     when the use of that batch begins
     */
    private void run(int batches, CopyMode mode, Runnable step, Consumer<CompletableFuture<Void>> afterFirst) {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> used = new CompletableFuture<>();
        Thread engine = new Thread(() -> use(step, begun, used), "millrace-bench-engine");
        engine.start();
        try {
            for (int i = 0; i < batches; i++) {
                DeviceBatch batch = take(used);
                fill(batch, i, mode);
                filled.add(Optional.of(batch));
                if (i == 0) {
                    afterFirst.accept(begun);
                }
            }
        } finally {
            filled.add(Optional.empty());
            used.handle((done, failure) -> true)
                    .join(); // wait for the thread, because the caller then closes the memory that it uses
        }
        used.join();
        device.copies().synchronize();
    }

    private DeviceBatch take(CompletableFuture<Void> used) {
        try {
            while (true) {
                DeviceBatch batch = free.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (batch != null) {
                    return batch;
                }
                if (used.isDone()) {
                    used.join(); // rethrows the thread's failure
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private void fill(DeviceBatch batch, long number, CopyMode mode) {
        batch.begin(number, number, 0, Split.TRAIN, rows);
        for (int row = 0; row < rows; row++) {
            batch.filling().put(0, row, source.take());
            source.enqueued();
            long position = number * rows + row;
            batch.filling().place(row, position, position, 0);
            if (mode == CopyMode.BLOCKING) {
                device.copies().synchronize();
            }
        }
        batch.seal();
    }

    private void use(Runnable step, CompletableFuture<Void> begun, CompletableFuture<Void> used) {
        try {
            for (Optional<DeviceBatch> next = filled.take(); next.isPresent(); next = filled.take()) {
                DeviceBatch batch = next.get();
                batch.beginUse();
                begun.complete(null);
                step.run();
                batch.endUse();
                free.add(batch);
            }
            device.engine().synchronize();
            used.complete(null);
        } catch (Throwable e) { // the waiting thread must receive every failure
            used.completeExceptionally(e);
            begun.completeExceptionally(e);
        }
    }

    /** Waits for all work. */
    @Override
    public void close() {
        handles.close();
    }
}
