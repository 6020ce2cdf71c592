package io.millrace.train.state;

import io.millrace.device.AlignedMemory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pool that keeps the memory of closed chunks for later chunks. Filling fresh memory costs several times as much as
 * filling memory that was used before. The pool grows to the largest amount that was in use at the same time.
 * Thread-safe.
 */
public final class ChunkPool implements AutoCloseable {
    /**
     * The size to which requests are rounded up, so that a section that grows by a few bytes still fits into its
     * earlier memory.
     */
    private static final int GRAIN_BYTES = 1 << 16;

    private final Map<Integer, Deque<AlignedMemory>> free = new HashMap<>();
    private boolean open = true;
    private long lentBytes;

    /** Returns the number of bytes of all chunks that are in use: neither closed nor found unreachable. */
    public synchronized long lentBytes() {
        return lentBytes;
    }

    /** Lends memory of at least this size. The caller closes it. */
    ChunkMemory take(int bytes) {
        int rounded = (bytes + GRAIN_BYTES - 1) / GRAIN_BYTES * GRAIN_BYTES;
        AlignedMemory memory = poll(rounded);
        if (memory == null) {
            memory = AlignedMemory.allocate(rounded, "a copy of the model's state");
        }
        lend(rounded);
        return new ChunkMemory(memory, this::giveBack);
    }

    private synchronized @Nullable AlignedMemory poll(int bytes) {
        Deque<AlignedMemory> kept = free.get(bytes);
        return kept == null ? null : kept.poll();
    }

    private synchronized void lend(int bytes) {
        lentBytes += bytes;
    }

    private synchronized void giveBack(AlignedMemory memory) {
        lentBytes -= memory.bytes();
        if (open) {
            free.computeIfAbsent(memory.bytes(), size -> new ArrayDeque<>()).push(memory);
        } else {
            memory.close();
        }
    }

    /** Frees the kept memory. Chunks that are still open are freed when they are closed. */
    @Override
    public synchronized void close() {
        open = false;
        free.values().forEach(kept -> kept.forEach(AlignedMemory::close));
        free.clear();
    }
}
