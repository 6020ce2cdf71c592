package io.millrace.sink;

import java.io.IOException;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of a report when training ends, called by the training operator in its task: for runs whose client does
 * not wait for their report. A task that was aborted may be followed by another that continues, which reports again.
 */
@FunctionalInterface
public interface ReportTarget extends Serializable {
    /** Ignores every report. */
    ReportTarget NONE = (rank, report, failure) -> {};

    /**
     * Receives a report, on the task's thread, as it closes.
     *
     * @param rank the rank of the trainer, from 0; each rank reports for itself
     * @param failure the reason why training ended early, if the operator knows it; null otherwise
     */
    void ended(int rank, TrainReport report, @Nullable Throwable failure) throws IOException;
}
