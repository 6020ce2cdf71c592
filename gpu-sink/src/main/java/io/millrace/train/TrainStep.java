package io.millrace.train;

import io.millrace.device.AsynchronousDevice;
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

/**
 * One model in training. Every method is called from the thread that opened it.
 *
 * <p>Tested by {@code DjlTrainStepTest}.
 */
public interface TrainStep extends AutoCloseable {
    /**
     * Opens the training of the specified model on this thread, on the host. The first call in a process loads the
     * engine.
     *
     * @param capacity the largest number of rows of a batch
     * @throws TrainSpecException when a part of the specification is unknown, parts do not fit together, a model's file
     *     cannot be read, or a batch is too large for the memory's blocks
     */
    static TrainStep open(TrainSpec spec, int capacity) {
        return open(spec, capacity, new HostDevice());
    }

    /**
     * Opens the training on a device, whose memory also holds the batches. The caller closes the device after the step.
     * On a simulated asynchronous device the step computes on the device's engine stream.
     *
     * @throws DeviceException when the device has too little memory, or the engine cannot use it
     */
    static TrainStep open(TrainSpec spec, int capacity, Device device) {
        if (device instanceof AsynchronousDevice simulated) {
            return AsynchronousStep.open(simulated, host -> open(spec, capacity, host));
        }
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
     * Trains on a sealed batch. A batch without rows changes nothing and has the loss NaN.
     *
     * @throws io.millrace.train.input.LabelOutOfRangeException when a label is not one of the model's classes
     */
    StepResult train(DeviceBatch batch);

    /**
     * Enqueues training on a sealed batch, and may return before it is done. The batch may be reused when the device's
     * engine has finished the work.
     *
     * @throws io.millrace.train.input.LabelOutOfRangeException when a label is not one of the model's classes
     */
    default Pending<StepResult> enqueue(DeviceBatch batch) {
        return Pending.done(train(batch));
    }

    /** Evaluates a sealed batch. Running statistics and parameters stay unchanged. */
    EvaluationResult evaluate(DeviceBatch batch);

    /**
     * Enqueues the evaluation of a sealed batch, and may return before it is done. The batch may be reused when the
     * device's engine has finished the work.
     */
    default Pending<EvaluationResult> enqueueEvaluation(DeviceBatch batch) {
        return Pending.done(evaluate(batch));
    }

    /**
     * Keeps this model equal to its replicas from now on: before each update, gradients and running statistics are
     * averaged. From then on, {@link #train} must be called in every step of the other replicas, even for a batch
     * without rows. It throws {@link java.io.UncheckedIOException} when another replica is gone.
     *
     * @throws TrainSpecException when the model has state that cannot be averaged
     */
    default void replicate(GradientExchange exchange) {
        if (parameterCount() > 0) {
            throw new TrainSpecException("this model cannot be kept equal to others: use replicas: independent");
        }
    }

    /**
     * Returns the SHA-256 over all parameters, then all running statistics, each in the model's order, and then the
     * state that only the network can access; in lower-case hexadecimal.
     */
    String parametersSha256();

    /** Returns the number of trained parameters. */
    long parameterCount();

    /** Writes the trained model into an existing empty directory. */
    void save(Path directory) throws IOException;

    /**
     * Copies all state that a training needs to continue from here. The caller closes the copy, and this step then
     * reuses the memory for the next copy. The cost is that of a copy in memory. For a TorchScript model, the engine
     * also writes out the module.
     */
    ModelState snapshot();

    /**
     * Continues from a copied state. Must be called before the first batch. The chunks may have any order. The caller
     * still owns them.
     *
     * @throws ModelStateException when the state is of another model, optimizer or version, or damaged; the step cannot be
     *     used then
     */
    void restore(List<StateChunk> state);

    @Override
    void close();

    /**
     * The result of a step. The times are those of the thread that called: where the engine works beside that thread, they
     * are the times of enqueueing, and only the device's events show the time of the work.
     *
     * @param loss the mean over the batch's rows
     * @param transferNanos the time of making the input on the device: device transforms, and waits for copies
     * @param computeNanos the time of forward, backward and optimizer
     * @param parts the parts of these times; null if they were not measured
     */
    record StepResult(
            double loss,
            long transferNanos,
            long computeNanos,
            @Nullable StepTimes parts) {
        /** Creates a result whose parts were not measured. */
        public StepResult(double loss, long transferNanos, long computeNanos) {
            this(loss, transferNanos, computeNanos, null);
        }
    }

    /**
     * The result of an evaluation batch.
     *
     * @param lossSum the mean loss of a row, multiplied by the number of rows
     * @param correct the number of rows, pixels of masks or entries of multi-label targets whose prediction is correct, or
     *     -1 if the loss has no classes
     * @param counted the number of rows, pixels or entries
     */
    record EvaluationResult(double lossSum, long correct, int rows, long counted) {
        /** Creates the result of rows with one label each. */
        public EvaluationResult(double lossSum, long correct, int rows) {
            this(lossSum, correct, rows, rows);
        }
    }
}
