package io.millrace.sink;

import io.millrace.sample.Split;
import io.millrace.sink.TrainerTally.StepTime;
import io.millrace.sink.files.UnwritableException;
import io.millrace.train.TrainStep.StepResult;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a client's training loop: of each delivered batch, the time for which the loop waited for it, and the time
 * until it asked for the next one. Only the task's thread calls it.
 */
final class DeliveredSteps implements AutoCloseable {
    private final TrainerTally tally;
    private final RunLogs logs;

    /** The batches that the client has received and whose steps it has not reported yet. */
    private final ArrayDeque<TrainedBatch> delivered = new ArrayDeque<>();

    /** Whether the next wait is that of a start or a seek, which is no starvation. */
    private boolean first = true;

    private DeliveredSteps(TrainerTally tally, RunLogs logs) {
        this.tally = tally;
        this.logs = logs;
    }

    /**
     * Opens the figures and the run's files.
     *
     * @param attempt the number of the task's attempt, from 0; a later attempt continues the files
     */
    static DeliveredSteps open(SinkSpec spec, TrainerMetrics metrics, int attempt) throws IOException {
        TrainerTally tally =
                new TrainerTally(metrics, Optional.empty(), spec.run().plan().stepsPerEpoch());
        return new DeliveredSteps(tally, attempt == 0 ? RunLogs.begin(spec) : RunLogs.append(spec));
    }

    /** The client asks for another step: the batches that it has received do not count. */
    void seek() {
        delivered.clear();
        first = true;
    }

    /** A batch was sent to the client. */
    void sent(TrainedBatch batch) {
        delivered.add(batch);
    }

    /**
     * The client's loop has done a step.
     *
     * @return false when this is not the step of the oldest batch without a report
     */
    boolean stepped(long step, long waitNanos, long busyNanos) throws UnwritableException {
        TrainedBatch batch = delivered.peek();
        if (batch == null || batch.step() != step) {
            return false;
        }
        delivered.remove();
        StepResult result = new StepResult(Double.NaN, 0, busyNanos);
        long starved = first ? 0 : waitNanos;
        if (!first) {
            tally.waited(Split.TRAIN, waitNanos);
        }
        logs.trained(batch, result, waitNanos);
        tally.trained(batch, result, StepTime.of(result, busyNanos + starved, starved));
        tally.publish();
        first = false;
        return true;
    }

    /** Returns whether the client has no batch whose step it has not reported. */
    boolean allDone() {
        return delivered.isEmpty();
    }

    /** Returns the oldest batch whose step was not reported; null when there is none. */
    @Nullable
    TrainedBatch oldest() {
        return delivered.peek();
    }

    /** Returns the report of the run. */
    TrainReport report(boolean finished) {
        tally.publish();
        return tally.report(finished, null, 0);
    }

    @Override
    public void close() throws UnwritableException {
        logs.close();
    }
}
