package io.millrace.sink.files;

import io.millrace.device.DeviceBatch;
import java.util.List;
import java.util.StringJoiner;

/**
 * A line of {@code ledger.csv}: the indexes of the samples that a training step trained on, in the order of the batch,
 * and the indexes of its bad samples. Indexes are separated by spaces.
 */
public final class LedgerLine {
    public static final String FILE = "ledger.csv";
    public static final String HEADER = "step,epoch,samples,missing\n";

    private LedgerLine() {}

    /** Returns the line of a sealed training batch. */
    public static String of(DeviceBatch batch) {
        StringJoiner samples = new StringJoiner(" ");
        for (int row = 0; row < batch.rows(); row++) {
            samples.add(Long.toString(batch.index(row)));
        }
        return batch.step() + "," + batch.epoch() + "," + samples + "," + spaced(batch.quarantinedIndexes()) + "\n";
    }

    private static String spaced(List<Long> indexes) {
        StringJoiner joined = new StringJoiner(" ");
        indexes.forEach(index -> joined.add(index.toString()));
        return joined.toString();
    }
}
