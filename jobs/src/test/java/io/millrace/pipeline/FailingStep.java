package io.millrace.pipeline;

import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.train.ForwardingTrainStep;
import io.millrace.train.TrainStep;
import io.millrace.train.spec.TrainSpec;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** A training step that takes at least 3 ms, so that there are checkpoints, and that fails once at each of some steps. */
public final class FailingStep extends ForwardingTrainStep {
    private static final long STEP_NANOS = 3_000_000;
    private static final Set<Long> FAILURES = ConcurrentHashMap.newKeySet();

    private FailingStep(TrainStep step) {
        super(step);
    }

    /** Makes the first rank that reaches one of the steps fail there. */
    public static void failAt(Set<Long> steps) {
        FAILURES.clear();
        FAILURES.addAll(steps);
    }

    /** Opens the step of a run. */
    public static TrainStep open(TrainSpec spec, int capacity, Device device) {
        return new FailingStep(TrainStep.open(spec, capacity, device));
    }

    @Override
    public StepResult train(DeviceBatch batch) {
        LockSupport.parkNanos(STEP_NANOS);
        if (FAILURES.remove(batch.step())) {
            throw new IllegalStateException("planned failure at step " + batch.step());
        }
        return super.train(batch);
    }
}
