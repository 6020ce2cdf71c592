package io.millrace.train;

import io.millrace.device.DeviceBatch;
import io.millrace.device.SimulatedLink;
import io.millrace.device.SimulatedTime;
import io.millrace.exchange.GradientExchange;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.StateChunk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A training step on a simulated device that is reached over a slow link, or that computes slowly. The host computes,
 * and then waits until the simulated time is over. Copies count as transfer time or as time of a checkpoint, and
 * computing as the step's compute time. Owns the step.
 *
 * @param leastStep the shortest time of forward, backward and optimizer for a batch with rows
 */
public record SlowedStep(TrainStep step, SimulatedLink link, Duration leastStep) implements TrainStep {
    @Override
    public StepResult train(DeviceBatch batch) {
        long carried = carry(batch);
        StepResult result = step.train(batch);
        long computed = result.computeNanos() + waitForStep(batch, result.computeNanos());
        return new StepResult(result.loss(), carried + result.transferNanos(), computed, result.parts());
    }

    @Override
    public EvaluationResult evaluate(DeviceBatch batch) {
        carry(batch);
        return step.evaluate(batch);
    }

    /** Waits until the simulated step is over, and returns the time of the wait. */
    private long waitForStep(DeviceBatch batch, long done) {
        long missing = leastStep.toNanos() - done;
        if (batch.rows() == 0 || missing <= 0) {
            return 0;
        }
        long began = System.nanoTime();
        SimulatedTime.pass(began, missing);
        return System.nanoTime() - began;
    }

    private long carry(DeviceBatch batch) {
        long began = System.nanoTime();
        if (batch.rows() > 0) {
            link.carry(batch.wireBytes());
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

    /** Copies the state back over the simulated link. */
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
