package io.millrace.train;

import io.millrace.device.DeviceBatch;
import io.millrace.device.SimulatedLink;
import io.millrace.exchange.GradientExchange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A training step whose batches come over a slow link: the host's memory stands for that of a device which is reached so.
 * The time counts as transfer, or as that of a checkpoint. Owns the step.
 */
public record SimulatedTransfer(TrainStep step, SimulatedLink link) implements TrainStep {
    @Override
    public StepResult train(DeviceBatch batch) {
        long nanos = carry(batch);
        StepResult result = step.train(batch);
        return new StepResult(result.loss(), nanos + result.transferNanos(), result.computeNanos());
    }

    @Override
    public EvaluationResult evaluate(DeviceBatch batch) {
        carry(batch);
        return step.evaluate(batch);
    }

    private long carry(DeviceBatch batch) {
        long began = System.nanoTime();
        if (batch.rows() > 0) {
            link.carry(batch.sentBytes());
        }
        return System.nanoTime() - began;
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

    /** What is to be saved comes back over the link. */
    @Override
    public ModelState snapshot() {
        ModelState state = step.snapshot();
        link.carry(state.bytes());
        return state;
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
