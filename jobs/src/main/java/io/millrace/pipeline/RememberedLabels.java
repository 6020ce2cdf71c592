package io.millrace.pipeline;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.ForwardingDataset;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A dataset that remembers the labels of the samples that were read, so that code of the user does not make a sample a second time
 * only for its label. Any thread may read.
 */
final class RememberedLabels extends ForwardingDataset {
    /** The labels by the index of their sample; at most as many as a planner reads. */
    private final Map<Long, Long> labels;

    private RememberedLabels(Dataset dataset, Map<Long, Long> labels) {
        super(dataset);
        this.labels = labels;
    }

    /**
     * Takes ownership of a dataset and returns it with remembered labels; the dataset itself when its format finds labels without
     * making samples.
     */
    static Dataset of(Dataset dataset) {
        return dataset.namesUndeclared() ? new RememberedLabels(dataset, new ConcurrentHashMap<>()) : dataset;
    }

    @Override
    public Optional<Dataset> undeclared() throws IOException {
        return super.undeclared().map(view -> new RememberedLabels(view, labels));
    }

    @Override
    public Sample read(long index) throws IOException {
        Sample sample = super.read(index);
        labels.put(index, sample.label());
        return sample;
    }

    @Override
    public long label(long index) throws IOException {
        Long known = labels.get(index);
        return known == null ? super.label(index) : known;
    }
}
