package io.millrace.pipeline;

import io.millrace.batch.BatchSpec;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import java.util.List;

/**
 * What is known of a run once its datasets have been looked at.
 *
 * @param classes the names of the training set's classes, empty where the format has none
 * @param sent what each row of a batch holds, and why so
 * @param storedBytes the size of one sample as it is read, at least 1
 * @param resident whether all datasets are in memory, so that reading has no threads of its own
 */
public record RunPlan(
        BatchPlan batches,
        EpochOrder order,
        List<String> classes,
        List<WireColumn> sent,
        long storedBytes,
        boolean resident) {
    public RunPlan {
        classes = List.copyOf(classes);
        sent = List.copyOf(sent);
    }

    /** What each row of a batch holds. */
    public BatchSpec rows() {
        return new BatchSpec(sent.stream().map(WireColumn::column).toList());
    }
}
