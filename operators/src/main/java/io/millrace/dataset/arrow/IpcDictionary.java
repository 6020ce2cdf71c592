package io.millrace.dataset.arrow;

import java.util.ArrayList;
import java.util.List;

/**
 * The values of a dictionary: one batch of one column, and more where it was extended.
 *
 * @param batches at least one
 */
record IpcDictionary(List<IpcBatch> batches) {
    /** How many values there are. */
    long size() {
        return batches.stream().mapToLong(IpcBatch::rows).sum();
    }

    /** The same with more values at its end. */
    IpcDictionary and(IpcBatch more) {
        List<IpcBatch> all = new ArrayList<>(batches);
        all.add(more);
        return new IpcDictionary(List.copyOf(all));
    }
}
