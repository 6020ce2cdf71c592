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
import io.millrace.train.TrainStep.EvaluationResult;
import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.engine.TrainingMemory;
import io.millrace.train.input.LateChecks;
import io.millrace.train.input.LateChecks.Check;
import io.millrace.train.loss.Loss;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The results of steps and evaluation batches that a device has not finished yet. After the work on a batch, the device
 * copies its numbers and checks to page-locked memory of the host, and an event marks their arrival. The host does not
 * wait for the copy. Belongs to the trainer's thread, which closes it when the device is done.
 *
 * <p>Tested by {@code DjlTrainStepTest}.
 */
final class LateResults implements AutoCloseable {
    /**
     * The largest number of pending steps. When that many steps are pending, the next call waits for the oldest of
     * them.
     */
    private static final int MOST_PENDING = 16;

    /** The space for one batch, in numbers: a loss and two counts for an evaluation, and two numbers for each check. */
    private static final int NUMBERS = 3 + 2 * LateChecks.MOST;

    private static final int RESULT_BYTES = NUMBERS * Double.BYTES;

    private final TrainingMemory where;
    private final Handles handles = new Handles();
    private final DeviceMemory onDevice;
    private final AlignedMemory onHost;
    private final List<DeviceEvent> arrived = new ArrayList<>();
    private final @Nullable Late[] late = new Late[MOST_PENDING];
    private int next;

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
     * @param enqueued the times of the thread that enqueued the step, without a loss
     */
    Pending<StepResult> enqueueCopy(DeviceBatch batch, PtNDArray loss, List<Check> checks, StepResult enqueued) {
        return new LateResult<>(
                enqueueCopy(batch, List.of(loss), checks),
                found -> new StepResult(found[0], enqueued.transferNanos(), enqueued.computeNanos(), enqueued.parts()));
    }

    /** Enqueues the copy of the results of an evaluation batch. The arrays may be closed after the call. */
    Pending<EvaluationResult> enqueueCopy(DeviceBatch batch, Loss.Sums sums, List<Check> checks) {
        List<PtNDArray> numbers = Stream.of(sums.loss(), sums.correct(), sums.counted())
                .flatMap(Stream::ofNullable)
                .map(PtNDArray.class::cast)
                .toList();
        boolean hits = numbers.size() > 1;
        int rows = batch.rows(); // the batch is reused
        return new LateResult<>(
                enqueueCopy(batch, numbers, checks),
                found -> new EvaluationResult(found[0], hits ? (long) found[1] : -1, rows, hits ? (long) found[2] : 0));
    }

    /**
     * Enqueues the copy of the checks of a batch that has no numbers of its own, and returns its result. The arrays may be
     * closed after the call.
     */
    <T> Pending<T> enqueueChecks(DeviceBatch batch, List<Check> checks, T result) {
        return checks.isEmpty()
                ? Pending.done(result)
                : new LateResult<>(enqueueCopy(batch, List.of(), checks), found -> result);
    }

    private Late enqueueCopy(DeviceBatch batch, List<PtNDArray> numbers, List<Check> checks) {
        int entry = next;
        next = (next + 1) % MOST_PENDING;
        Late before = late[entry];
        if (before != null) {
            before.await();
        }
        int offset = entry * RESULT_BYTES;
        int used = 0;
        for (PtNDArray number : numbers) {
            put(number, offset + used++ * Double.BYTES, new Shape());
        }
        for (Check check : checks) {
            put(check.extremes(), offset + used * Double.BYTES, new Shape(2));
            used += 2;
        }
        where.device().engine().copyOut(onDevice, offset, onHost.address() + offset, (long) used * Double.BYTES);
        where.device().engine().record(arrived.get(entry));
        Late result = new Late(entry, used, batch.split(), batch.step(), checks);
        late[entry] = result;
        return result;
    }

    private void put(PtNDArray value, int offset, Shape shape) {
        try (PtNDArray place = EngineTensors.numbers(onDevice, offset, shape, DataType.FLOAT64, where.manager())) {
            EngineTensors.copy(place, value);
        }
    }

    /** The numbers of one batch, which may not have arrived yet. */
    private final class Late {
        private final int entry;
        private final int used;
        private final Split split;
        private final long step;
        private final List<Check> checks;
        private double @Nullable [] numbers;

        Late(int entry, int used, Split split, long step, List<Check> checks) {
            this.entry = entry;
            this.used = used;
            this.split = split;
            this.step = step;
            this.checks = checks;
        }

        boolean isDone() {
            return numbers != null || arrived.get(entry).isDone();
        }

        /** Waits for the numbers, and checks the class numbers among them. */
        double[] await() {
            double[] known = numbers;
            if (known != null) {
                return known;
            }
            arrived.get(entry).synchronize();
            double[] found = new double[used];
            onHost.buffer()
                    .slice(entry * RESULT_BYTES, RESULT_BYTES)
                    .order(ByteOrder.nativeOrder())
                    .asDoubleBuffer()
                    .get(found);
            int first = used - 2 * checks.size();
            for (int i = 0; i < checks.size(); i++) {
                checks.get(i).require(split, step, found[first + 2 * i], found[first + 2 * i + 1]);
            }
            numbers = found;
            return found;
        }
    }

    /** The result of a batch whose numbers may not have arrived yet. */
    private record LateResult<T>(Late late, Function<double[], T> fromNumbers) implements Pending<T> {
        @Override
        public boolean isDone() {
            return late.isDone();
        }

        @Override
        public T result() {
            return fromNumbers.apply(late.await());
        }
    }

    @Override
    public void close() {
        handles.close();
    }
}
