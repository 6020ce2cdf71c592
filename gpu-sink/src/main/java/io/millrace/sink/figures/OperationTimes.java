package io.millrace.sink.figures;

import io.millrace.metrics.NanosHistogram;
import io.millrace.train.StepTimes;
import io.millrace.train.TrainStep.StepResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Measures the durations of the trainer's operations. Only the trainer's thread calls it. */
final class OperationTimes {
    private static final class Tally {
        private final Histogram nanos = new Histogram(NanosHistogram.DIGITS);
        private long totalNanos;
    }

    private final Map<String, Tally> tallies = new LinkedHashMap<>();

    /** Records that the trainer waited for a batch. */
    void waited(long nanos) {
        add("wait for a batch", nanos);
    }

    /** Records the refill after a checkpoint. */
    void refilled(long nanos) {
        add("refill after a checkpoint", nanos);
    }

    /** Records the device transforms of a batch that goes to a client. */
    void transformed(long nanos) {
        add("device transforms", nanos);
    }

    /** Records a step of a client's training loop. */
    void stepped(long nanos) {
        add("step of your training loop", nanos);
    }

    /** Records a training step. */
    void trained(StepResult result) {
        StepTimes parts = result.parts();
        if (parts == null) {
            add("inputs", result.transferNanos());
            return;
        }
        add("inputs", parts.inputs());
        add("targets", parts.targets());
        add("forward", parts.forward());
        add("backward", parts.backward());
        if (parts.exchange() != StepTimes.NONE) {
            add("exchange", parts.exchange());
        }
        add("optimizer", parts.optimizer());
    }

    /** Records that an evaluation batch was passed through the model. */
    void evaluated(long nanos) {
        add("evaluation", nanos);
    }

    private void add(String name, long nanos) {
        Tally tally = tallies.computeIfAbsent(name, any -> new Tally());
        tally.nanos.recordValue(Math.max(0, nanos));
        tally.totalNanos += nanos;
    }

    /** Returns the durations of all operations so far. */
    List<OperationTime> list() {
        return tallies.entrySet().stream()
                .map(entry -> OperationTime.of(entry.getKey(), entry.getValue().totalNanos, entry.getValue().nanos))
                .toList();
    }
}
