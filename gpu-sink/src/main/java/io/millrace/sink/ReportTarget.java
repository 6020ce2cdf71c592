package io.millrace.sink;

import java.io.IOException;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Told by the training operator, in its task, when training ends: for runs whose client does not wait for their report.
 * A task that was broken off may be followed by another that goes on, and is told anew.
 */
@FunctionalInterface
public interface ReportTarget extends Serializable {
    /** Tells nobody. */
    ReportTarget NONE = (rank, report, failure) -> {};

    /**
     * Takes the report; on the task's thread, as it closes.
     *
     * @param rank of the trainer, from 0: each tells for itself
     * @param failure why training ended early, where the operator knows; null otherwise
     */
    void ended(int rank, TrainReport report, @Nullable Throwable failure) throws IOException;
}
