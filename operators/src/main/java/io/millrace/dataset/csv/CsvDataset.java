package io.millrace.dataset.csv;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.ForwardingDataset;
import java.util.List;

/** A dataset of tables of text, which states the types that its values decide. */
final class CsvDataset extends ForwardingDataset {
    private final List<String> remarks;

    /** Takes ownership of a dataset. */
    CsvDataset(Dataset dataset, List<String> remarks) {
        super(dataset);
        this.remarks = List.copyOf(remarks);
    }

    @Override
    public List<String> remarks() {
        return remarks;
    }
}
