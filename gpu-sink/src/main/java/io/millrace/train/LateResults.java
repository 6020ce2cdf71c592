package io.millrace.train;

import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.device.DeviceEvent;
import io.millrace.device.DeviceMemory;
import io.millrace.device.EngineTensors;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.Split;
import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.engine.TrainingMemory;
import io.millrace.train.input.LateChecks;
import io.millrace.train.input.LateChecks.Check;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The results of steps that a device has not finished yet. After each step, the device copies the step's loss and
 * checks to page-locked memory of the host, and an event marks their arrival. The host does not wait for the copy.
 * Belongs to the trainer's thread, which closes it when the device is done.
 */
final class LateResults implements AutoCloseable {
    /**
     * The largest number of pending steps. When that many steps are pending, the next call waits for the oldest of
     * them.
     */
    private static final int MOST_PENDING = 16;

    private static final int NUMBERS = 1 + 2 * LateChecks.MOST;
    private static final int RESULT_BYTES = NUMBERS * Double.BYTES;

    private final TrainingMemory where;
    private final Handles handles = new Handles();
    private final DeviceMemory onDevice;
    private final AlignedMemory onHost;
    private final List<DeviceEvent> arrived = new ArrayList<>();
    private final @Nullable Late[] late = new Late[MOST_PENDING];
    private int next;
    private long copyWaitNanos;

    /** Allocates memory for a device whose memory the CPU cannot access. */
    LateResults(TrainingMemory where) {
        this.where = where;
        this.onHost = handles.add(where.device().pageLocked((long) MOST_PENDING * RESULT_BYTES, "the steps' results"));
        this.onDevice = handles.closeOnFailure(
                () -> handles.add(where.zeros(MOST_PENDING * RESULT_BYTES, "the steps' results")));
        for (int i = 0; i < MOST_PENDING; i++) {
            arrived.add(handles.closeOnFailure(() -> handles.add(where.device().event())));
        }
        handles.add(where.device().engine()::synchronize); // closed first
    }

    /**
     * Enqueues the copy of a step's results. The arrays may be closed after the call.
     *
     * @param enqueued the step's times on the host, without a loss
     */
    PendingStep enqueueCopy(DeviceBatch batch, PtNDArray loss, List<Check> checks, StepResult enqueued) {
        int entry = next;
        next = (next + 1) % MOST_PENDING;
        Late before = late[entry];
        if (before != null) {
            before.result();
        }
        int offset = entry * RESULT_BYTES;
        put(loss, offset, new Shape());
        for (int i = 0; i < checks.size(); i++) {
            put(checks.get(i).extremes(), offset + (1 + 2 * i) * Double.BYTES, new Shape(2));
        }
        int bytes = (1 + 2 * checks.size()) * Double.BYTES;
        where.device().engine().copyOut(onDevice, offset, onHost.address() + offset, bytes);
        where.device().engine().record(arrived.get(entry));
        Late result = new Late(entry, batch.split(), batch.step(), checks, enqueued);
        late[entry] = result;
        return result;
    }

    /**
     * Returns the time that the engine itself has waited for copies since the last call, as far as it is known, in
     * nanoseconds.
     */
    private long copyWaitSince() {
        long before = copyWaitNanos;
        copyWaitNanos = where.device().use().sums().engineWaitNanos();
        return copyWaitNanos - before;
    }

    private void put(PtNDArray value, int offset, Shape shape) {
        try (PtNDArray place = EngineTensors.numbers(onDevice, offset, shape, DataType.FLOAT64, where.manager())) {
            EngineTensors.copy(place, value);
        }
    }

    private final class Late implements PendingStep {
        private final int entry;
        private final Split split;
        private final long step;
        private final List<Check> checks;
        private final StepResult enqueued;
        private @Nullable StepResult result;

        Late(int entry, Split split, long step, List<Check> checks, StepResult enqueued) {
            this.entry = entry;
            this.split = split;
            this.step = step;
            this.checks = checks;
            this.enqueued = enqueued;
        }

        @Override
        public boolean isDone() {
            return result != null || arrived.get(entry).isDone();
        }

        @Override
        public StepResult result() {
            StepResult known = result;
            if (known != null) {
                return known;
            }
            long began = System.nanoTime();
            arrived.get(entry).synchronize();
            long waited = System.nanoTime() - began;
            double loss = number(0);
            for (int i = 0; i < checks.size(); i++) {
                checks.get(i).require(split, step, number(1 + 2 * i), number(2 + 2 * i));
            }
            StepResult made = enqueued.waitedFor(loss, waited, copyWaitSince());
            result = made;
            return made;
        }

        private double number(int i) {
            return onHost.buffer().getDouble(entry * RESULT_BYTES + i * Double.BYTES);
        }
    }

    @Override
    public void close() {
        handles.close();
    }
}
