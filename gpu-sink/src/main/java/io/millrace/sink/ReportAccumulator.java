package io.millrace.sink;

import java.io.Serializable;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.jspecify.annotations.Nullable;

/** Carries a {@link TrainReport} to the client with the job's result. It is registered when the trainer has ended, with the report. */
final class ReportAccumulator implements Accumulator<TrainReport, Serializable> {
    private static final long serialVersionUID = 1;

    private volatile @Nullable TrainReport report; // set by the task's thread, read by Flink's heartbeat

    @Override
    public void add(TrainReport value) {
        report = value;
    }

    @Override
    @SuppressWarnings("NullAway") // Flink allows a null value, its signature does not say so
    public Serializable getLocalValue() {
        return report;
    }

    @Override
    public void resetLocal() {
        report = null;
    }

    @Override
    public void merge(Accumulator<TrainReport, Serializable> other) {
        if (other.getLocalValue() instanceof TrainReport value) {
            report = value;
        }
    }

    @Override
    @SuppressWarnings({"MissingSuperCall", "CloneableImplementsClone"})
    public Accumulator<TrainReport, Serializable> clone() {
        ReportAccumulator copy = new ReportAccumulator();
        copy.report = report;
        return copy;
    }
}
