package io.millrace.pipeline;

import io.millrace.batch.BatchSpec;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import java.util.List;

/**
 * What is known of a run once its datasets have been looked at.
 *
 * @param classes the names of the training set's classes, empty where the format has none
 * @param rows what each row of a batch holds
 * @param storedBytes the size of one sample as it is read, at least 1
 * @param resident whether all datasets are in memory, so that reading has no threads of its own
 */
public record RunPlan(
        BatchPlan batches, EpochOrder order, List<String> classes, BatchSpec rows, long storedBytes, boolean resident) {
    public RunPlan {
        classes = List.copyOf(classes);
    }
}
