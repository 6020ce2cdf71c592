package io.millrace.dataset.shard;

import io.millrace.dataset.storage.Storage.FileState;
import java.lang.ref.WeakReference;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The indexes of open shards, which all datasets of a process share. Each reading task opens the dataset, and an index
 * of millions of samples must not be in memory once for each task. An index that no dataset uses any more is released.
 * Safe for several threads.
 *
 * @param <T> the type of the index
 */
public final class SharedIndexes<T extends ShardIndex> {
    private record Key(String shard, FileState state) {}

    private final ConcurrentMap<Key, WeakReference<T>> known = new ConcurrentHashMap<>();

    /** Returns the index of a shard if a dataset of this process uses it. */
    Optional<T> find(String shard, FileState state) {
        WeakReference<T> held = known.get(new Key(shard, state));
        return held == null ? Optional.empty() : Optional.ofNullable(held.get());
    }

    /** Returns the index to use: {@code made}, or the index that another thread shared in the meantime. */
    T share(String shard, FileState state, T made) {
        WeakReference<T> held = known.compute(
                new Key(shard, state),
                (key, before) -> before != null && before.get() != null ? before : new WeakReference<>(made));
        T before = held.get();
        return before == null ? made : before;
    }

    /** Removes the keys of indexes that no dataset uses any more. */
    void removeUnused() {
        known.values().removeIf(held -> held.get() == null);
    }
}
