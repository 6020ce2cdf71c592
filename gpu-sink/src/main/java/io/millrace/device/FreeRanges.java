package io.millrace.device;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The free parts of a block. A request takes the first free part that fits, and a part that is given back joins its
 * neighbours.
 */
final class FreeRanges {
    /** The result of {@link #take} when no free part is large enough. */
    static final long NONE = -1;

    /** The free parts, from offset to length; no two of them touch. */
    private final TreeMap<Long, Long> free = new TreeMap<>();

    private final long bytes;

    /** Creates a block whose bytes are all free. */
    FreeRanges(long bytes) {
        this.bytes = bytes;
        free.put(0L, bytes);
    }

    /**
     * Takes a part of {@code length} bytes, at least 1, and returns its offset; returns {@link #NONE} when no free part
     * is large enough.
     */
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
     * Gives back a part that was taken.
     *
     * @throws IllegalStateException when some of the part is free already, or outside the block
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
}
