package io.millrace.dataset.columns;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Parts of files kept for reuse, up to a number of bytes: the least recently used go first, and one that is larger than
 * the limit stays alone. A part that several threads want is loaded by one of them while the others wait.
 *
 * <p>For any thread. Parts that were handed out stay valid: they are only forgotten here.
 *
 * @param <K> what names a part
 * @param <V> a part, immutable
 */
public final class LoadedCache<K, V> {
    /** Reads a part that is not there. */
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
     * An empty cache.
     *
     * @param sizer the memory that a part takes, in bytes
     */
    public LoadedCache(long limitBytes, ToLongFunction<V> sizer) {
        this.limitBytes = limitBytes;
        this.sizer = sizer;
    }

    /** The part of that name, loaded when it is not there. What fails to load is tried again by who asks next. */
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
                // Where others failed on this entry, or evicted it, it is no longer in the map: then nobody counts it.
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

    /** The bytes of the parts kept now. */
    public long heldBytes() {
        synchronized (entries) {
            return heldBytes;
        }
    }
}
