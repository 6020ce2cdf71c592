package io.millrace.diagnosis.ladder;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/** Where tasks of this process find the cached samples of a rung: a pipeline carries their name. For any thread. */
final class SampleCaches {
    private static final ConcurrentMap<String, List<CachedSample>> CACHES = new ConcurrentHashMap<>();
    private static final AtomicLong NUMBER = new AtomicLong();

    private SampleCaches() {}

    /** A name for these samples until the lease is closed. */
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

    /** The time in which a name stands for samples. */
    record Lease(String name) implements AutoCloseable {
        @Override
        public void close() {
            CACHES.remove(name);
        }
    }
}
