package io.millrace.pipeline;

import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.exchange.GradientExchange;
import io.millrace.train.TrainStep;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.StateChunk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** A training step that takes at least 3 ms, so that there are checkpoints, and that fails once at each of some steps. */
final class FailingStep implements TrainStep {
    private static final long STEP_NANOS = 3_000_000;
    private static final Set<Long> FAILURES = ConcurrentHashMap.newKeySet();

    private final TrainStep step;

    private FailingStep(TrainStep step) {
        this.step = step;
    }

    /** Makes the first rank that reaches one of the steps fail there. */
    static void failAt(Set<Long> steps) {
        FAILURES.clear();
        FAILURES.addAll(steps);
    }

    /** Opens the step of a run. */
    static TrainStep open(TrainSpec spec, int capacity, Device device) {
        return new FailingStep(TrainStep.open(spec, capacity, device));
    }

    @Override
    public StepResult train(DeviceBatch batch) {
        LockSupport.parkNanos(STEP_NANOS);
        if (FAILURES.remove(batch.step())) {
            throw new IllegalStateException("planned failure at step " + batch.step());
        }
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
