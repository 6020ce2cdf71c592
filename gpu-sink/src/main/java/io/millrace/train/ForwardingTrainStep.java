package io.millrace.train;

import io.millrace.device.DeviceBatch;
import io.millrace.exchange.GradientExchange;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.StateChunk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A training step that forwards its calls to another one, for subclasses that change a part of them. {@link #enqueue} and {@link
 * #enqueueEvaluation} are not forwarded: they call {@link #train} and {@link #evaluate}. Owns the other step.
 */
public abstract class ForwardingTrainStep implements TrainStep {
    private final TrainStep step;

    protected ForwardingTrainStep(TrainStep step) {
        this.step = step;
    }

    @Override
    public StepResult train(DeviceBatch batch) {
        return step.train(batch);
    }

    @Override
    public EvaluationResult evaluate(DeviceBatch batch) {
        return step.evaluate(batch);
    }

    @Override
    public void replicate(GradientExchange exchange) {
        step.replicate(exchange);
    }

    @Override
    public String parametersSha256() {
        return step.parametersSha256();
    }

    @Override
    public long parameterCount() {
        return step.parameterCount();
    }

    @Override
    public void save(Path directory) throws IOException {
        step.save(directory);
    }

    @Override
    public ModelState snapshot() {
        return step.snapshot();
    }

    @Override
    public void restore(List<StateChunk> state) {
        step.restore(state);
    }

    @Override
    public void close() {
        step.close();
    }
}
