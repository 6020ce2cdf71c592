package io.millrace.dataset;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A dataset with more remarks on what it reads. */
public final class RemarkedDataset extends ForwardingDataset {
    private final List<String> more;

    private RemarkedDataset(Dataset dataset, List<String> more) {
        super(dataset);
        this.more = List.copyOf(more);
    }

    /** Takes ownership of a dataset and returns it with the remark after its own; the dataset itself where there is none. */
    public static Dataset of(Dataset dataset, Optional<String> remark) {
        return of(dataset, remark.stream().toList());
    }

    /** Takes ownership of a dataset and returns it with the remarks after its own; the dataset itself where there are none. */
    public static Dataset of(Dataset dataset, List<String> remarks) {
        return remarks.isEmpty() ? dataset : new RemarkedDataset(dataset, remarks);
    }

    @Override
    public List<String> remarks() {
        return Stream.concat(super.remarks().stream(), more.stream()).toList();
    }
}
