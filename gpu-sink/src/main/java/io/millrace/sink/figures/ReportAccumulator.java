package io.millrace.sink.figures;

import java.io.Serializable;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.jspecify.annotations.Nullable;

/**
 * The accumulator that carries the {@link TrainReports} to the client with the job's result. It is registered together with the
 * report when the trainer has ended. Flink merges the accumulators of several trainers.
 */
public final class ReportAccumulator implements Accumulator<TrainReports, Serializable> {
    private static final long serialVersionUID = 1;

    private volatile @Nullable TrainReports report; // the task's thread writes it, Flink's heartbeat reads it

    @Override
    public void add(TrainReports value) {
        report = value;
    }

    @Override
    @SuppressWarnings("NullAway") // Flink allows null here, although its signature does not declare it
    public Serializable getLocalValue() {
        return report;
    }

    @Override
    public void resetLocal() {
        report = null;
    }

    @Override
    public void merge(Accumulator<TrainReports, Serializable> other) {
        if (other.getLocalValue() instanceof TrainReports value) {
            TrainReports mine = report;
            report = mine == null ? value : mine.plus(value);
        }
    }

    @Override
    @SuppressWarnings({"MissingSuperCall", "CloneableImplementsClone"})
    public Accumulator<TrainReports, Serializable> clone() {
        ReportAccumulator copy = new ReportAccumulator();
        copy.report = report;
        return copy;
    }
}
