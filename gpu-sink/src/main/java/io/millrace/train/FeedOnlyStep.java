package io.millrace.train;

import ai.djl.engine.EngineException;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.EngineErrors;
import io.millrace.lifecycle.Handles;
import io.millrace.train.engine.TrainingMemory;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.input.DevicePlan;
import io.millrace.train.input.DeviceRows;
import io.millrace.train.input.LateChecks;
import io.millrace.train.input.ModelInputs;
import io.millrace.train.input.RowTensors;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.StateChunk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A step for the model {@code none}. It applies the transforms to batches on the device, and drops the result. Without
 * transforms there is nothing to do: the batch in the device's memory is what such a run measures. Then a step in the host's memory does
 * not load the engine. Losses are NaN.
 *
 * <p>Tested by {@code DeviceTransformsTest}.
 */
final class FeedOnlyStep implements TrainStep {
    private final TrainSpec spec;
    private final Device device;
    private final Handles handles = new Handles();

    /** Null when there is nothing to do. */
    private final @Nullable PtNDManager manager;

    private final @Nullable DeviceRows rows;
    private final @Nullable LateResults late;

    /** Null without transforms. */
    private final @Nullable ModelInputs inputs;

    /** Opens a step. The calling thread is the one that feeds the device; see {@link TrainStep#open}. */
    FeedOnlyStep(TrainSpec spec, int capacity, Device device) {
        this.spec = spec;
        this.device = device;
        try {
            DevicePlan plan = DevicePlan.of(spec);
            if (plan.isEmpty() && device.isReadableByCpu()) {
                manager = null;
                rows = null;
                late = null;
                inputs = null;
                return;
            }
            manager = handles.add(TrainingRuntime.open(spec.tuning().threads(), device));
            TrainingMemory where = handles.add(new TrainingMemory(device, manager));
            rows = where.isHost() ? null : handles.add(new DeviceRows(new RowTensors(manager), new LateChecks()));
            late = where.isHost() ? null : handles.add(new LateResults(where));
            inputs = plan.isEmpty() ? null : handles.add(new ModelInputs(spec, plan, capacity, manager, rows));
            handles.add(device.engine()::synchronize); // closed first
        } catch (RuntimeException | Error e) {
            Handles.closeAfter(e, handles);
            if (e instanceof EngineException failure) {
                throw translate(failure, capacity);
            }
            throw e;
        }
    }

    /** Translates an exception of the engine into one that names the device and the work. */
    private RuntimeException translate(EngineException failure, int batchRows) {
        return EngineErrors.translate(
                failure,
                "the input of " + batchRows + " rows of " + spec.data().input().rowBytes() + " bytes on "
                        + device.describe());
    }

    @Override
    public StepResult train(DeviceBatch batch) {
        return enqueue(batch).result();
    }

    @Override
    public Pending<StepResult> enqueue(DeviceBatch batch) {
        return feed(batch, nanos -> new StepResult(Double.NaN, nanos, 0));
    }

    @Override
    public EvaluationResult evaluate(DeviceBatch batch) {
        return enqueueEvaluation(batch).result();
    }

    @Override
    public Pending<EvaluationResult> enqueueEvaluation(DeviceBatch batch) {
        return feed(batch, nanos -> new EvaluationResult(Double.NaN, -1, batch.rows()));
    }

    /**
     * Makes the input of a batch, and returns a result. {@code result} creates it from the time of this thread, in
     * nanoseconds.
     */
    private <T> Pending<T> feed(DeviceBatch batch, LongFunction<T> result) {
        if (batch.rows() == 0 || manager == null) {
            return Pending.done(result.apply(0));
        }
        long begin = System.nanoTime();
        JniUtils.setGradMode(false);
        try (PtNDManager step = manager.newSubManager(manager.getDevice())) {
            if (inputs != null) {
                inputs.make(batch, inputs.mixtures(batch), step);
            }
            T fed = result.apply(System.nanoTime() - begin);
            return late == null || rows == null
                    ? Pending.done(fed)
                    : late.enqueueChecks(batch, rows.checks().take(), fed);
        } catch (EngineException e) {
            throw translate(e, batch.rows());
        }
    }

    /** Returns the digest of no bytes. */
    @Override
    public String parametersSha256() {
        return HexFormat.of().formatHex(ParameterDigest.sha256().digest());
    }

    @Override
    public long parameterCount() {
        return 0;
    }

    /** Writes nothing, because there is no model. */
    @Override
    public void save(Path directory) {}

    /** Returns only a header, because there is no other state. */
    @Override
    public ModelState snapshot() {
        byte[] header = StateHeader.withoutModel().json();
        return new ModelState(List.of(StateChunk.of(StateHeader.SECTION, 0, header.length, ByteBuffer.wrap(header))));
    }

    @Override
    public void restore(List<StateChunk> state) {
        StateHeader.read(state).requireFits(StateHeader.withoutModel());
    }

    @Override
    public void close() {
        handles.close();
    }
}
