package io.millrace.dataset.arrow;

import java.util.ArrayList;
import java.util.List;

/**
 * The values of a dictionary: one batch of one column, and further batches when the dictionary was extended.
 *
 * @param batches the batches, at least one
 */
record IpcDictionary(List<IpcBatch> batches) {
    /** Returns the number of values. */
    long size() {
        return batches.stream().mapToLong(IpcBatch::rows).sum();
    }

    /** Returns the same dictionary with more values at its end. */
    IpcDictionary and(IpcBatch more) {
        List<IpcBatch> all = new ArrayList<>(batches);
        all.add(more);
        return new IpcDictionary(List.copyOf(all));
    }
}
