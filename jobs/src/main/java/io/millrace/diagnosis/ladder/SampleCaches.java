package io.millrace.diagnosis.ladder;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/** The registry in which tasks of this process find cached samples by the name in their pipeline. Thread-safe. */
final class SampleCaches {
    private static final ConcurrentMap<String, List<CachedSample>> CACHES = new ConcurrentHashMap<>();
    private static final AtomicLong NUMBER = new AtomicLong();

    private SampleCaches() {}

    /**
     * Registers samples under a new name until the lease is closed.
     *
     * @throws IllegalArgumentException when there is no sample
     */
    static Lease lend(List<CachedSample> samples) {
        if (samples.isEmpty()) {
            throw new IllegalArgumentException("a cache needs at least one sample");
        }
        String name = "cache-" + NUMBER.getAndIncrement();
        CACHES.put(name, List.copyOf(samples));
        return new Lease(name);
    }

    static Optional<List<CachedSample>> find(String name) {
        return Optional.ofNullable(CACHES.get(name));
    }

    /** A lease of a name for cached samples. Closing it removes the samples from the registry. */
    record Lease(String name) implements AutoCloseable {
        @Override
        public void close() {
            CACHES.remove(name);
        }
    }
}
