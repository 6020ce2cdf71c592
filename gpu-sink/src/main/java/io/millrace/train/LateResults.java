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
 * Brings what steps found from the device to the processor without waiting: each step's loss and checks are copied to
 * page-locked memory behind it, and an event tells when they are there. Belongs to the trainer's thread, which closes it
 * when the device is done.
 */
final class LateResults implements AutoCloseable {
    /** Steps under way at most; one more waits for the first of them. */
    private static final int SLOTS = 16;

    private static final int NUMBERS = 1 + 2 * LateChecks.MOST;
    private static final int SLOT_BYTES = NUMBERS * Double.BYTES;

    private final TrainingMemory where;
    private final Handles handles = new Handles();
    private final DeviceMemory found;
    private final AlignedMemory here;
    private final List<DeviceEvent> arrived = new ArrayList<>();
    private final @Nullable Late[] late = new Late[SLOTS];
    private int next;
    private long copyWaitNanos;

    /** For a device whose memory the processor does not reach. */
    LateResults(TrainingMemory where) {
        this.where = where;
        this.here = handles.add(where.device().pageLocked((long) SLOTS * SLOT_BYTES, "the steps' results"));
        this.found = handles.closeOnFailure(() -> handles.add(where.zeros(SLOTS * SLOT_BYTES, "the steps' results")));
        for (int i = 0; i < SLOTS; i++) {
            arrived.add(handles.closeOnFailure(() -> handles.add(where.device().event())));
        }
        handles.add(where.device().engine()::synchronize); // closed first
    }

    /**
     * Sends what a step found on its way; the arrays may be closed then.
     *
     * @param asked with the times of asking, and no loss
     */
    PendingStep send(DeviceBatch batch, PtNDArray loss, List<Check> checks, StepResult asked) {
        int slot = next;
        next = (next + 1) % SLOTS;
        Late before = late[slot];
        if (before != null) {
            before.result();
        }
        int offset = slot * SLOT_BYTES;
        put(loss, offset, new Shape());
        for (int i = 0; i < checks.size(); i++) {
            put(checks.get(i).extremes(), offset + (1 + 2 * i) * Double.BYTES, new Shape(2));
        }
        int bytes = (1 + 2 * checks.size()) * Double.BYTES;
        where.device().engine().copyOut(found, offset, here.address() + offset, bytes);
        where.device().engine().record(arrived.get(slot));
        Late sent = new Late(slot, batch.split(), batch.step(), checks, asked);
        late[slot] = sent;
        return sent;
    }

    /** How long the engine itself waited for copies since this was asked last, as far as it is known. */
    private long copyWaitSince() {
        long before = copyWaitNanos;
        copyWaitNanos = where.device().use().sums().engineWaitNanos();
        return copyWaitNanos - before;
    }

    private void put(PtNDArray value, int offset, Shape shape) {
        try (PtNDArray place = EngineTensors.numbers(found, offset, shape, DataType.FLOAT64, where.manager())) {
            EngineTensors.copy(place, value);
        }
    }

    private final class Late implements PendingStep {
        private final int slot;
        private final Split split;
        private final long step;
        private final List<Check> checks;
        private final StepResult asked;
        private @Nullable StepResult result;

        Late(int slot, Split split, long step, List<Check> checks, StepResult asked) {
            this.slot = slot;
            this.split = split;
            this.step = step;
            this.checks = checks;
            this.asked = asked;
        }

        @Override
        public boolean isDone() {
            return result != null || arrived.get(slot).isDone();
        }

        @Override
        public StepResult result() {
            StepResult known = result;
            if (known != null) {
                return known;
            }
            long began = System.nanoTime();
            arrived.get(slot).synchronize();
            long waited = System.nanoTime() - began;
            double loss = number(0);
            for (int i = 0; i < checks.size(); i++) {
                checks.get(i).require(split, step, number(1 + 2 * i), number(2 + 2 * i));
            }
            StepResult made = asked.waitedFor(loss, waited, copyWaitSince());
            result = made;
            return made;
        }

        private double number(int i) {
            return here.buffer().getDouble(slot * SLOT_BYTES + i * Double.BYTES);
        }
    }

    @Override
    public void close() {
        handles.close();
    }
}
