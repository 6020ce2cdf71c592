package io.millrace.source;

import io.millrace.sample.Sample;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;

/**
 * A function that passes samples on and fails in subtask 0: first as soon as a checkpoint is complete, and then again
 * shortly after each restart, from the same checkpoint when there is no later one. Until the first checkpoint it passes samples
 * slowly, so that the run does not end before. One run at a time may use it in this JVM.
 */
final class Saboteur extends RichMapFunction<Sample, Sample> implements CheckpointListener {
    private static final long serialVersionUID = 1;
    private static final int SAMPLES_BEFORE_FAILURE = 300;
    private static final long PARKED_NANOS = 100_000;
    private static final AtomicInteger FAILURES_LEFT = new AtomicInteger();
    private static final AtomicBoolean CHECKPOINTED = new AtomicBoolean();

    private int passed;

    static void failTimes(int failures) {
        CHECKPOINTED.set(false);
        FAILURES_LEFT.set(failures);
    }

    static int failuresLeft() {
        return FAILURES_LEFT.get();
    }

    @Override
    public Sample map(Sample sample) {
        passed++;
        if (FAILURES_LEFT.get() > 0 && !CHECKPOINTED.get()) {
            LockSupport.parkNanos(PARKED_NANOS);
        }
        if (passed > SAMPLES_BEFORE_FAILURE
                && CHECKPOINTED.get()
                && getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0
                && FAILURES_LEFT.get() > 0) {
            throw new IllegalStateException("planned failure, then " + FAILURES_LEFT.decrementAndGet() + " more");
        }
        return sample;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        CHECKPOINTED.set(true);
    }
}
