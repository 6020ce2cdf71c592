package io.millrace.diagnosis.ladder;

import io.millrace.dataset.Dataset;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Objects;

/**
 * A dataset that repeats the samples of a cache until it has the size of the original dataset.
 *
 * @param cache the cached samples, at least one
 * @param size the number of samples of the original dataset, at least 1
 * @param use the way in which later stages use the samples
 */
record CachedDataset(List<CachedSample> cache, long size, List<String> classes, Use use) implements Dataset {
    /** The way in which later stages use a sample. */
    enum Use {
        /** Later stages may write into a sample's arrays, so each sample is a copy. */
        CHANGED,
        /** Later stages only read, so all samples share the cached arrays. */
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
    public boolean holdsPacks() {
        return !cache.get(0).parts().isEmpty();
    }

    @Override
    public void close() {
        // The cache belongs to the owner of its lease.
    }
}
