package io.millrace.diagnosis.ladder;

import io.millrace.dataset.Dataset;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Objects;

/**
 * As many samples as a dataset has, which are those of a cache over and over.
 *
 * @param use what is done with samples that were read
 */
record CachedDataset(List<CachedSample> cache, long size, List<String> classes, Use use) implements Dataset {
    /** What the stages behind do. */
    enum Use {
        /** They may write into a sample's arrays: each gets a copy. */
        CHANGED,
        /** They only read: all get the same arrays. */
        READ
    }

    @Override
    public Sample read(long index) {
        CachedSample sample = cached(index);
        return use == Use.CHANGED ? sample.writable(index) : sample.shared(index);
    }

    @Override
    public long label(long index) {
        return cached(index).label();
    }

    private CachedSample cached(long index) {
        return cache.get((int) (Objects.checkIndex(index, size) % cache.size()));
    }

    @Override
    public boolean resident() {
        return true;
    }

    @Override
    public void close() {
        // The cache belongs to who lent it.
    }
}
