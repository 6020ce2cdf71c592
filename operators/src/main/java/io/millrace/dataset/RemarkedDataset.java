package io.millrace.dataset;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A dataset with one more remark on what it reads. */
public final class RemarkedDataset extends ForwardingDataset {
    private final String remark;

    private RemarkedDataset(Dataset dataset, String remark) {
        super(dataset);
        this.remark = remark;
    }

    /** Takes ownership of a dataset and returns it with the remark after its own; the dataset itself where there is none. */
    public static Dataset of(Dataset dataset, Optional<String> remark) {
        return remark.isEmpty() ? dataset : new RemarkedDataset(dataset, remark.get());
    }

    @Override
    public List<String> remarks() {
        return Stream.concat(super.remarks().stream(), Stream.of(remark)).toList();
    }
}
