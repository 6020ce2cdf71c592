package io.millrace.device;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Which parts of a block are free: parts are taken where they fit first, and join their neighbours when given back. */
final class FreeRanges {
    /** What {@link #take} returns when no free part is large enough. */
    static final long NONE = -1;

    /** Offset to length; no two touch. */
    private final TreeMap<Long, Long> free = new TreeMap<>();

    private final long bytes;

    /** A block of so many bytes, all of it free. */
    FreeRanges(long bytes) {
        this.bytes = bytes;
        free.put(0L, bytes);
    }

    /** Takes so many bytes, at least 1; returns where they begin. */
    long take(long length) {
        Long offset = firstOf(length);
        if (offset == null) {
            return NONE;
        }
        long left = Objects.requireNonNull(free.remove(offset)) - length;
        if (left > 0) {
            free.put(offset + length, left);
        }
        return offset;
    }

    private @Nullable Long firstOf(long length) {
        for (Map.Entry<Long, Long> range : free.entrySet()) {
            if (range.getValue() >= length) {
                return range.getKey();
            }
        }
        return null;
    }

    /**
     * Gives back what was taken.
     *
     * @throws IllegalStateException when some of it is free already, or outside the block
     */
    void giveBack(long offset, long length) {
        Map.Entry<Long, Long> before = free.lowerEntry(offset + 1);
        Map.Entry<Long, Long> after = free.higherEntry(offset);
        if (offset < 0
                || offset + length > bytes
                || (before != null && before.getKey() + before.getValue() > offset)
                || (after != null && offset + length > after.getKey())) {
            throw new IllegalStateException("bytes " + offset + " to " + (offset + length) + " of " + bytes
                    + " were not taken: free are " + free);
        }
        long from = offset;
        long joined = length;
        if (before != null && before.getKey() + before.getValue() == offset) {
            from = before.getKey();
            joined += before.getValue();
        }
        if (after != null && offset + length == after.getKey()) {
            joined += after.getValue();
            free.remove(after.getKey());
        }
        free.put(from, joined);
    }

    /** Whether nothing is taken. */
    boolean isWhole() {
        return free.getOrDefault(0L, 0L) == bytes;
    }
}
