package io.millrace.sink.figures;

import java.io.IOException;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of a trainer's report, for runs whose client does not wait for the report. The training operator calls
 * it in its task when training ends. If the task was aborted, another task may continue and report again.
 */
@FunctionalInterface
public interface ReportTarget extends Serializable {
    /** Ignores every report. */
    ReportTarget NONE = (rank, report, failure) -> {};

    /**
     * Receives a report. The task's thread calls this while it closes.
     *
     * @param rank the rank of the trainer, from 0; each rank reports for itself
     * @param failure the reason why training ended early; null when there is none or the operator does not have it
     */
    void ended(int rank, TrainReport report, @Nullable Throwable failure) throws IOException;
}
