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

    /** Returns this dictionary with the values of {@code more} appended. */
    IpcDictionary withMore(IpcBatch more) {
        List<IpcBatch> all = new ArrayList<>(batches);
        all.add(more);
        return new IpcDictionary(List.copyOf(all));
    }
}
