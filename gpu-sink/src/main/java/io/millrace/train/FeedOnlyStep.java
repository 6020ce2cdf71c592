package io.millrace.train;

import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.DeviceBatch;
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

/**
 * A step for the model {@code none}. It makes batches on the device, applies the transforms, and drops the result.
 * Losses are NaN.
 */
final class FeedOnlyStep implements TrainStep {
    private final PtNDManager manager;
    private final Handles handles = new Handles();
    private final ModelInputs inputs;

    /** Opens a step. The calling thread is the one that feeds the device; see {@link TrainStep#open}. */
    FeedOnlyStep(TrainSpec spec, int capacity, io.millrace.device.Device device) {
        manager = handles.add(TrainingRuntime.open(spec.tuning().threads(), device));
        inputs = handles.closeOnFailure(() -> {
            TrainingMemory where = handles.add(new TrainingMemory(device, manager));
            DevicePlan plan = DevicePlan.of(spec);
            DeviceRows rows =
                    where.isHost() ? null : handles.add(new DeviceRows(new RowTensors(manager), new LateChecks()));
            return handles.add(new ModelInputs(spec, plan, capacity, manager, rows));
        });
        handles.add(device.engine()::synchronize); // closed first
    }

    @Override
    public StepResult train(DeviceBatch batch) {
        return new StepResult(Double.NaN, feed(batch), 0);
    }

    @Override
    public EvaluationResult evaluate(DeviceBatch batch) {
        feed(batch);
        return new EvaluationResult(Double.NaN, -1, batch.rows());
    }

    private long feed(DeviceBatch batch) {
        if (batch.rows() == 0) {
            return 0;
        }
        long begin = System.nanoTime();
        JniUtils.setGradMode(false);
        try (PtNDManager step = manager.newSubManager(manager.getDevice())) {
            inputs.make(batch, inputs.mixtures(batch), step);
        }
        return System.nanoTime() - begin;
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
