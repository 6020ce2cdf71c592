package io.millrace.train;

import io.millrace.device.DeviceBatch;
import io.millrace.device.SimulatedLink;
import io.millrace.device.SimulatedTime;
import io.millrace.train.state.ModelState;
import java.time.Duration;

/**
 * A training step on a simulated device that is reached over a slow link, or that computes slowly. The host computes,
 * and then waits until the simulated time is over. Copies count as transfer time or as time of a checkpoint, and
 * computing as the step's compute time. Owns the step.
 */
public final class SlowedStep extends ForwardingTrainStep {
    private final SimulatedLink link;
    private final Duration leastStep;

    /**
     * Creates a slow step.
     *
     * @param leastStep the shortest time of forward, backward and optimizer for a batch with rows
     */
    public SlowedStep(TrainStep step, SimulatedLink link, Duration leastStep) {
        super(step);
        this.link = link;
        this.leastStep = leastStep;
    }

    @Override
    public StepResult train(DeviceBatch batch) {
        long carried = carry(batch);
        StepResult result = super.train(batch);
        long computed = result.computeNanos() + waitForStep(batch, result.computeNanos());
        return new StepResult(result.loss(), carried + result.transferNanos(), computed, result.parts());
    }

    @Override
    public EvaluationResult evaluate(DeviceBatch batch) {
        carry(batch);
        return super.evaluate(batch);
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

    /** Copies the state back over the simulated link. */
    @Override
    public ModelState snapshot() {
        ModelState state = super.snapshot();
        link.carry(state.bytes());
        return state;
    }
}
