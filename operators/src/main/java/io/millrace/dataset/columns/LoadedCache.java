package io.millrace.dataset.columns;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A cache of parts of files, up to a number of bytes. The part that was used least recently is removed first. A part
 * that is larger than the limit stays in the cache alone. When several threads request the same part, one of them loads
 * it while the others wait.
 *
 * <p>Safe for several threads. A part that was returned stays valid after the cache has removed it.
 *
 * @param <K> the key of a part
 * @param <V> a part, immutable
 */
public final class LoadedCache<K, V> {
    /** A function that reads a part that is not in the cache. */
    @FunctionalInterface
    public interface Loader<V> {
        V load() throws IOException;
    }

    private static final class Entry<V> {
        private @Nullable V value;
        private long bytes;
    }

    private final long limitBytes;
    private final ToLongFunction<V> sizer;
    private final Map<K, Entry<V>> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long heldBytes;

    /**
     * Creates an empty cache.
     *
     * @param limitBytes the largest size of all parts, in bytes
     * @param sizer the function that returns the memory of a part, in bytes
     */
    public LoadedCache(long limitBytes, ToLongFunction<V> sizer) {
        this.limitBytes = limitBytes;
        this.sizer = sizer;
    }

    /** Returns the largest size of all parts, in bytes. */
    public long limitBytes() {
        return limitBytes;
    }

    /**
     * Returns the part with this key, and loads it when it is not in the cache. When loading fails, the next caller
     * tries again.
     */
    public V get(K key, Loader<V> loader) throws IOException {
        Entry<V> entry;
        synchronized (entries) {
            entry = entries.computeIfAbsent(key, missing -> new Entry<>());
        }
        synchronized (entry) {
            V value = entry.value;
            if (value == null) {
                value = load(key, entry, loader);
            }
            return value;
        }
    }

    private V load(K key, Entry<V> entry, Loader<V> loader) throws IOException {
        boolean loaded = false;
        try {
            V value = loader.load();
            long bytes = sizer.applyAsLong(value);
            entry.value = value;
            synchronized (entries) {
                // When another thread failed on this entry or evicted it, the entry is no longer in the map, and its
                // bytes do not count.
                if (entries.get(key) == entry) {
                    entry.bytes = bytes;
                    heldBytes += bytes;
                    evictAllBut(entry);
                }
            }
            loaded = true;
            return value;
        } finally {
            if (!loaded) {
                synchronized (entries) {
                    entries.remove(key, entry);
                }
            }
        }
    }

    private void evictAllBut(Entry<V> latest) {
        Iterator<Entry<V>> eldestFirst = entries.values().iterator();
        while (heldBytes > limitBytes && eldestFirst.hasNext()) {
            Entry<V> entry = eldestFirst.next();
            // An entry without bytes is still being loaded.
            if (entry != latest && entry.bytes > 0) {
                heldBytes -= entry.bytes;
                eldestFirst.remove();
            }
        }
    }
}
