package io.millrace.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Disjoint ranges in order of position. Adjacent ranges are not merged, so that no range becomes longer than the
 * ranges that were added.
 */
final class RangeSet {
    private final TreeMap<Long, Long> endByStart = new TreeMap<>();

    /** Adds those positions of the range that are not in the set yet. */
    void add(Range range) {
        long at = range.from();
        for (Range present : overlapping(range)) {
            if (at < present.from()) {
                endByStart.put(at, present.from());
            }
            at = present.to();
        }
        if (at < range.to()) {
            endByStart.put(at, range.to());
        }
    }

    /** Removes those positions of the range that are in the set. */
    void remove(Range range) {
        for (Range present : overlapping(range)) {
            endByStart.remove(present.from());
            if (present.from() < range.from()) {
                endByStart.put(present.from(), range.from());
            }
            if (range.to() < present.to()) {
                endByStart.put(range.to(), present.to());
            }
        }
    }

    /** Returns the lowest range, or null when the set is empty. */
    @Nullable
    Range first() {
        Map.Entry<Long, Long> first = endByStart.firstEntry();
        return first == null ? null : new Range(first.getKey(), first.getValue());
    }

    /** Returns all ranges, lowest first. */
    List<Range> ranges() {
        return endByStart.entrySet().stream()
                .map(e -> new Range(e.getKey(), e.getValue()))
                .toList();
    }

    private List<Range> overlapping(Range range) {
        Long before = endByStart.floorKey(range.from());
        List<Range> overlapping = new ArrayList<>();
        endByStart
                .subMap(before == null ? range.from() : before, true, range.to(), false)
                .forEach((from, to) -> {
                    if (to > range.from()) {
                        overlapping.add(new Range(from, to));
                    }
                });
        return overlapping;
    }
}
