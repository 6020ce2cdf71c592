package io.millrace.train;

import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.DeviceException;
import io.millrace.device.HostDevice;
import io.millrace.exchange.GradientExchange;
import io.millrace.train.network.Models;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.ModelStateException;
import io.millrace.train.state.StateChunk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One model in training. Every method is called from the one thread that opened it. */
public interface TrainStep extends AutoCloseable {
    /**
     * Opens the training of this model on this thread, on the host; the first time in a process it loads the engine.
     *
     * @param capacity the most rows that a batch has
     * @throws TrainSpecException when the parts of the specification are unknown or do not go together, a model's file
     *     cannot be read, or a batch is too large for the memory's blocks
     */
    static TrainStep open(TrainSpec spec, int capacity) {
        return open(spec, capacity, new HostDevice());
    }

    /**
     * The same on a device, where the batches are too; the caller closes it after the step.
     *
     * @throws DeviceException when the device's memory does not suffice, or the engine cannot use it
     */
    static TrainStep open(TrainSpec spec, int capacity, Device device) {
        try {
            return spec.recipe().model().name().equals(Models.NONE)
                    ? new FeedOnlyStep(spec, capacity, device)
                    : new DjlTrainStep(spec, capacity, device);
        } catch (TrainSpecException e) {
            throw e;
        } catch (IllegalArgumentException e) {
            throw new TrainSpecException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Trains on a sealed batch; a batch without rows changes nothing and has the loss NaN.
     *
     * @throws io.millrace.train.input.LabelOutOfRangeException when a label is not one of the model's classes
     */
    StepResult train(DeviceBatch batch);

    /**
     * Asks for training on a sealed batch, and returns perhaps before that is done: the batch may be given back when the
     * device's engine has come so far.
     *
     * @throws io.millrace.train.input.LabelOutOfRangeException as {@link #train}
     */
    default PendingStep ask(DeviceBatch batch) {
        return PendingStep.done(train(batch));
    }

    /** Evaluates a sealed batch: running statistics and parameters stay as they are. */
    EvaluationResult evaluate(DeviceBatch batch);

    /**
     * Keeps this model equal to its replicas from now on: before each update gradients and running statistics are averaged.
     * {@link #train} is then called in every step of the others, also without rows, and throws {@link
     * java.io.UncheckedIOException} when another is gone.
     *
     * @throws TrainSpecException when the model has something that cannot be averaged
     */
    default void replicate(GradientExchange exchange) {
        if (parameterCount() > 0) {
            throw new TrainSpecException("this model cannot be kept equal to others: use replicas: independent");
        }
    }

    /** SHA-256 over all parameters, then all buffers (running statistics), in the model's order; lower-case hex. */
    String parametersSha256();

    /** The number of trained parameters. */
    long parameterCount();

    /** Writes the trained model into an existing empty directory. */
    void save(Path directory) throws IOException;

    /**
     * Copies all that a training needs to go on from here. The caller closes the copy; this step uses its memory again for
     * the next one. Costs a copy in memory; a TorchScript model is also written out by the engine.
     */
    ModelState snapshot();

    /**
     * Goes on where a copy was made: to be called before the first batch. The chunks may come in any order; they stay the
     * caller's.
     *
     * @throws ModelStateException when the state is of another model, optimizer or version, or damaged; the step is not
     *     to be used then
     */
    void restore(List<StateChunk> state);

    @Override
    void close();

    /**
     * What a step did.
     *
     * @param loss the mean over the batch's rows
     * @param transferNanos making the input on the device: device transforms, and copies as far as they are waited for
     * @param computeNanos forward, backward and optimizer
     * @param parts of these times; null where they were not measured
     */
    record StepResult(
            double loss,
            long transferNanos,
            long computeNanos,
            @Nullable StepTimes parts) {
        /** A result whose parts were not measured. */
        public StepResult(double loss, long transferNanos, long computeNanos) {
            this(loss, transferNanos, computeNanos, null);
        }

        /**
         * The same with the loss, which was waited for.
         *
         * @param copiesNanos in which meanwhile the device waited for copies, itself: that much of the wait is transfer
         */
        StepResult waitedFor(double found, long nanos, long copiesNanos) {
            long moving = Math.min(nanos, copiesNanos);
            return new StepResult(found, transferNanos + moving, computeNanos + nanos - moving, parts);
        }
    }

    /**
     * What an evaluation batch gave.
     *
     * @param lossSum the mean loss of a row, summed over the rows
     * @param correct rows whose largest output is the label's, pixels of masks or entries of multi-label targets likewise;
     *     or -1 where the loss knows no classes
     * @param counted of how many rows, pixels or entries
     */
    record EvaluationResult(double lossSum, long correct, int rows, long counted) {
        /** Where each row has one label. */
        public EvaluationResult(double lossSum, long correct, int rows) {
            this(lossSum, correct, rows, rows);
        }
    }
}
