package io.millrace.train;

import ai.djl.Device;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.DeviceBatch;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Training by DJL's PyTorch engine.
 *
 * <p>DJL's trainer and gradient collector are not used: the collector is one for the whole JVM, so two trainers beside
 * each other would throw. Gradients are switched on for this thread alone, and backward is called on the loss.
 */
final class DjlTrainStep implements TrainStep {
    private final TrainSpec spec;
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();
    private final PtNDManager manager;
    private final Network network;
    private final FlatState state;
    private final UpdateRule rule;
    private final LearningRate learningRate;
    private final Loss loss;
    private final DeviceInput input;
    private final PtNDArray one;

    /** Opens on the thread that will train; see {@link TrainStep#open}. */
    DjlTrainStep(TrainSpec spec, int capacity) {
        this.spec = spec;
        try {
            UpdateRule.Formula formula = Optimizers.formula(spec.optimizer());
            this.learningRate = Schedules.of(spec, formula.learningRate());
            this.manager = TrainingRuntime.open(spec.tuning().threads());
            owned.push(manager);
            this.input = owned(new DeviceInput(
                    spec.input(),
                    capacity,
                    spec.deviceTransforms(),
                    spec.tuning().memoryFormat(),
                    manager));
            this.network = owned(Models.open(spec.model(), spec.input().column(Sample.IMAGE), manager));
            this.loss = owned(Losses.open(spec.loss(), network.classes(), capacity));
            this.state = owned(new FlatState(network, manager, spec.seed()));
            this.rule = owned(new UpdateRule(formula, state, manager));
            this.one = (PtNDArray) manager.ones(new Shape());
        } catch (RuntimeException | Error e) {
            try {
                close();
            } catch (RuntimeException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private <T extends AutoCloseable> T owned(T resource) {
        owned.push(resource);
        return resource;
    }

    @Override
    public StepResult train(DeviceBatch batch) {
        if (batch.rows() == 0) {
            return new StepResult(Double.NaN, 0, 0);
        }
        long begin = System.nanoTime();
        // One manager per step: arrays of a step would else live as long as the training.
        try (PtNDManager step = manager.newSubManager(Device.cpu())) {
            PtNDArray targets = loss.targets(batch, step);
            PtNDArray inputs = input.make(batch, step);
            long made = System.nanoTime();
            PtNDArray mean;
            JniUtils.setGradMode(true);
            try {
                mean = JniUtils.mean(loss.rows(network.forward(inputs, Network.Mode.TRAIN), targets));
                JniUtils.backward(mean, one, false, false);
            } finally {
                JniUtils.setGradMode(false);
            }
            rule.update(learningRate.at(batch.step()));
            return new StepResult(mean.getFloat(), made - begin, System.nanoTime() - made);
        }
    }

    @Override
    public EvaluationResult evaluate(DeviceBatch batch) {
        int rows = batch.rows();
        if (rows == 0) {
            return new EvaluationResult(0, 0, 0);
        }
        JniUtils.setGradMode(false);
        try (PtNDManager step = manager.newSubManager(Device.cpu())) {
            PtNDArray targets = loss.targets(batch, step);
            PtNDArray outputs = network.forward(input.make(batch, step), Network.Mode.EVALUATE);
            double sum = 0;
            for (float value : loss.rows(outputs, targets).toFloatArray()) {
                sum += value;
            }
            return new EvaluationResult(sum, loss.correct(outputs, batch), rows);
        }
    }

    @Override
    public String parametersSha256() {
        return ParameterDigest.of(state, network);
    }

    @Override
    public long parameterCount() {
        return state.parameterCount();
    }

    @Override
    public void save(Path directory) throws IOException {
        ModelFolder.write(directory, spec, state);
        network.saveOwnForm(directory);
    }

    /** The network's memory, for tests that set the first values. */
    FlatState state() {
        return state;
    }

    @Override
    public void close() {
        // Last opened, first closed. Arrays that view memory freed before them do not touch it when they are deleted.
        RuntimeException failure = null;
        while (!owned.isEmpty()) {
            try {
                owned.pop().close();
            } catch (Exception e) {
                failure = new IllegalStateException("closing the trainer", e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
