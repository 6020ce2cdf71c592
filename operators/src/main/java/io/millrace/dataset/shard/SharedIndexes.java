package io.millrace.dataset.shard;

import io.millrace.dataset.storage.Storage.FileState;
import java.lang.ref.WeakReference;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * One index of a shard for all datasets of a process that have it open: each reading task opens the dataset, and millions
 * of samples must not be held once a task. Forgets what nobody holds. For any thread.
 *
 * @param <T> the index
 */
public final class SharedIndexes<T extends ShardIndex> {
    private record Key(String shard, FileState state) {}

    private final ConcurrentMap<Key, WeakReference<T>> known = new ConcurrentHashMap<>();

    /** The index that somebody holds, if any does. */
    Optional<T> find(String shard, FileState state) {
        WeakReference<T> held = known.get(new Key(shard, state));
        return held == null ? Optional.empty() : Optional.ofNullable(held.get());
    }

    /** The index to hold: this one, or one that another thread made in the meantime. */
    T share(String shard, FileState state, T made) {
        WeakReference<T> held = known.compute(
                new Key(shard, state),
                (key, before) -> before != null && before.get() != null ? before : new WeakReference<>(made));
        T before = held.get();
        return before == null ? made : before;
    }

    /** Forgets the keys of indexes that nobody holds any more. */
    void tidy() {
        known.values().removeIf(held -> held.get() == null);
    }
}
