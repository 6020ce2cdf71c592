package io.millrace.pipeline;

import io.millrace.batch.BatchSpec;
import io.millrace.dataset.types.SettledTypes;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import java.util.List;

/**
 * The properties of a run that are found by inspecting its datasets before the job starts.
 *
 * @param classes the names of the training set's classes; empty when the format has none
 * @param columns the columns of a batch, each with the reason for its type
 * @param storedBytes the size of one sample as it is stored, at least 1 byte
 * @param types the settled types of the fields whose types their formats do not declare
 * @param resident whether all datasets are in memory, so that reading needs no threads of its own
 * @param remarks sentences for the user on what the datasets leave out
 */
public record RunPlan(
        BatchPlan batches,
        EpochOrder order,
        List<String> classes,
        List<WireColumn> columns,
        long storedBytes,
        SettledTypes types,
        boolean resident,
        List<String> remarks) {
    public RunPlan {
        classes = List.copyOf(classes);
        columns = List.copyOf(columns);
        remarks = List.copyOf(remarks);
    }

    /**
     * Returns the plan of the same run, whose batches go to clients. It is not known which types and which part of a batch their
     * training uses.
     */
    public RunPlan ofClients() {
        return new RunPlan(
                batches,
                order,
                classes,
                columns.stream()
                        .map(column ->
                                new WireColumn(column.column(), column.column().dtype(), "for your training loop"))
                        .toList(),
                storedBytes,
                types,
                resident,
                remarks);
    }

    /** Returns the specification of a batch. */
    public BatchSpec rows() {
        return new BatchSpec(columns.stream().map(WireColumn::column).toList());
    }
}
