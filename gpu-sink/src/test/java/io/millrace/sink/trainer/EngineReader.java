package io.millrace.sink.trainer;

import io.millrace.device.AlignedMemory;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.DeviceEvent;
import io.millrace.device.HostDevice;
import io.millrace.lifecycle.Handles;
import io.millrace.order.BatchPlan;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * A stand-in for a trainer with pending steps. Its engine copies each batch from the device after random pauses. Its
 * thread returns the batch at once, as if the batch were free. The copied bytes are compared some batches later.
 */
public final class EngineReader implements AutoCloseable {
    private static final int STEPS = 4;
    private static final int LONGEST_PAUSE_NANOS = 300_000;

    /** The engine's copy of one batch. */
    private static final class Step {
        final AlignedMemory pixels;
        final AlignedMemory mask;
        final AlignedMemory words;
        final AlignedMemory ends;
        final AlignedMemory labels;
        final DeviceEvent done;
        List<Long> positions = List.of();

        Step(Device device, int batch, Handles handles) {
            pixels = handles.add(device.pageLocked((long) batch * TransferRows.PIXELS, "pixels"));
            mask = handles.add(device.pageLocked((long) batch * TransferRows.BIT_BYTES, "masks"));
            words = handles.add(device.pageLocked((long) batch * TransferRows.MOST_WORDS * Integer.BYTES, "words"));
            ends = handles.add(device.pageLocked((batch + 1L) * Long.BYTES, "ends of words"));
            labels = handles.add(device.pageLocked((long) batch * Long.BYTES, "labels"));
            done = handles.add(device.event());
        }
    }

    private final Device device;
    private final BatchPlan plan;
    private final BlockingQueue<DeviceBatch> given;
    private final BlockingQueue<DeviceBatch> trained;
    private final Random random;
    private final Handles handles = new Handles();
    private final DeviceBatch end;
    private final List<Step> steps = new ArrayList<>();
    private final CompletableFuture<Long> seen = new CompletableFuture<>();
    private final Thread thread = new Thread(this::run, "engine");
    private long rows;
    private long batches;

    public EngineReader(
            Device device,
            BatchPlan plan,
            BlockingQueue<DeviceBatch> given,
            BlockingQueue<DeviceBatch> trained,
            Random random) {
        this.device = device;
        this.plan = plan;
        this.given = given;
        this.trained = trained;
        this.random = random;
        this.end = handles.add(new HostDevice().allocate(TransferRows.SPEC, 1));
        for (int i = 0; i < STEPS; i++) {
            steps.add(new Step(device, plan.batch(0).rows(), handles));
        }
    }

    /** Starts the thread; the result is the number of rows that were compared. */
    public CompletableFuture<Long> start() {
        thread.setDaemon(true);
        thread.start();
        return seen;
    }

    /** A marker that ends the work. */
    public DeviceBatch end() {
        return end;
    }

    private void run() {
        try {
            for (DeviceBatch batch = given.take(); batch != end; batch = given.take()) {
                Step step = steps.get((int) (batches % STEPS));
                compare(step);
                train(batch, step);
                batches++;
                trained.add(batch);
                if (random.nextInt(4) == 0) {
                    LockSupport.parkNanos(random.nextInt(LONGEST_PAUSE_NANOS)); // varies the timing
                }
            }
            steps.forEach(this::compare);
            seen.complete(rows);
        } catch (Throwable e) {
            seen.completeExceptionally(e);
        }
    }

    private void train(DeviceBatch batch, Step step) {
        if (batch.number() != batches) {
            throw new AssertionError("batch " + batch.number() + " came as number " + batches);
        }
        List<Long> positions = new ArrayList<>();
        for (int row = 0; row < batch.rows(); row++) {
            positions.add(batch.position(row));
            if (batch.index(row) != TransferRows.index(batch.position(row))) {
                throw new AssertionError("position " + batch.position(row) + " has the index " + batch.index(row));
            }
        }
        requireOrder(positions, batch.number());
        int count = batch.rows();
        long words = batch.offsets(2).get(count) * Integer.BYTES;
        batch.beginUse();
        device.engine().copyOut(batch.memory(0), 0, step.pixels.address(), (long) count * TransferRows.PIXELS);
        device.engine().copyOut(batch.memory(1), 0, step.mask.address(), (long) count * TransferRows.BIT_BYTES);
        device.engine().copyOut(batch.memory(2), 0, step.words.address(), words);
        device.engine().copyOut(batch.offsetMemory(2), 0, step.ends.address(), (count + 1L) * Long.BYTES);
        device.engine().copyOut(batch.labelMemory(), 0, step.labels.address(), (long) count * Long.BYTES);
        device.engine().record(step.done);
        batch.endUse();
        step.positions = positions;
        rows += count;
    }

    private void requireOrder(List<Long> positions, long number) {
        long least = plan.batch(number).firstPosition();
        for (long position : positions) {
            if (position < least
                    || position
                            >= plan.batch(number).firstPosition()
                                    + plan.batch(number).rows()) {
                throw new AssertionError("position " + position + " is out of its place in batch " + number);
            }
            least = position + 1;
        }
    }

    private void compare(Step step) {
        step.done.synchronize();
        ByteBuffer words = step.words.buffer();
        TransferRows.assertHolds(
                step.positions,
                step.pixels.buffer(),
                step.mask.buffer(),
                words,
                step.ends.buffer(),
                step.labels.buffer());
        step.positions = List.of();
        // The memory is overwritten, so that old bytes cannot be mistaken for bytes of the next batch.
        step.ends.buffer().putLong(0, 0);
    }

    @Override
    public void close() {
        given.add(end);
        // The thread completes the result as its last action.
        seen.handle((rowsSeen, failure) -> rowsSeen).join();
        device.engine().synchronize();
        handles.close();
    }
}
