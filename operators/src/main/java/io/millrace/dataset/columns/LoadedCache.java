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

    private static final class Slot<V> {
        private @Nullable V value;
        private long bytes;
    }

    private final long limitBytes;
    private final ToLongFunction<V> sizer;
    private final Map<K, Slot<V>> slots = new LinkedHashMap<>(16, 0.75f, true);
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
        Slot<V> slot;
        synchronized (slots) {
            slot = slots.computeIfAbsent(key, missing -> new Slot<>());
        }
        synchronized (slot) {
            V value = slot.value;
            if (value == null) {
                value = load(key, slot, loader);
            }
            return value;
        }
    }

    private V load(K key, Slot<V> slot, Loader<V> loader) throws IOException {
        boolean loaded = false;
        try {
            V value = loader.load();
            long bytes = sizer.applyAsLong(value);
            slot.value = value;
            synchronized (slots) {
                // Where others failed on this slot, or evicted it, it is no longer in the map: then nobody counts it.
                if (slots.get(key) == slot) {
                    slot.bytes = bytes;
                    heldBytes += bytes;
                    evictAllBut(slot);
                }
            }
            loaded = true;
            return value;
        } finally {
            if (!loaded) {
                synchronized (slots) {
                    slots.remove(key, slot);
                }
            }
        }
    }

    private void evictAllBut(Slot<V> latest) {
        Iterator<Slot<V>> eldestFirst = slots.values().iterator();
        while (heldBytes > limitBytes && eldestFirst.hasNext()) {
            Slot<V> slot = eldestFirst.next();
            // A slot without bytes is still being loaded.
            if (slot != latest && slot.bytes > 0) {
                heldBytes -= slot.bytes;
                eldestFirst.remove();
            }
        }
    }

    /** The bytes of the parts kept now. */
    public long heldBytes() {
        synchronized (slots) {
            return heldBytes;
        }
    }
}
