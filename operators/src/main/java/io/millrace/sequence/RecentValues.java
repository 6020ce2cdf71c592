package io.millrace.sequence;

import java.io.Serializable;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongFunction;

/**
 * A small cache of values that are pure functions of a number. Each number has one place, so that threads with near numbers do not
 * displace each other's values. Any thread may use it: threads that miss a value at the same time each compute it. It is empty after
 * deserialization.
 */
final class RecentValues<T> implements Serializable {
    private static final long serialVersionUID = 1;

    private record Entry<T>(long number, T value) {}

    private final int places;
    private final transient AtomicReferenceArray<Entry<T>> entries;

    /**
     * Creates an empty cache.
     *
     * @param places the largest number of values, at least 1
     */
    RecentValues(int places) {
        this.places = places;
        entries = new AtomicReferenceArray<>(places);
    }

    /** Returns the value of a number, 0 or more, which the function computes if the cache does not have it. */
    T value(long number, LongFunction<T> function) {
        int place = (int) (number % places);
        Entry<T> entry = entries.get(place);
        if (entry == null || entry.number != number) {
            entry = new Entry<>(number, function.apply(number));
            entries.set(place, entry);
        }
        return entry.value;
    }

    private Object readResolve() {
        return new RecentValues<T>(places);
    }
}
