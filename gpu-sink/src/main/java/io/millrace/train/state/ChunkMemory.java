package io.millrace.train.state;

import io.millrace.device.AlignedMemory;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * The native memory of one chunk. After it was filled, its address never leaves this class: readers get copies under the
 * lock, so that it is safe to close it while another thread reads. If it is not closed, the garbage collector frees it.
 * Thread-safe.
 */
final class ChunkMemory implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();

    private final AlignedMemory memory;
    private final Cleaner.Cleanable giveBack;
    private boolean open = true;

    /**
     * Takes ownership of memory.
     *
     * @param back receives the memory when it is closed or found unreachable, on any thread; must not refer to this object
     */
    ChunkMemory(AlignedMemory memory, Consumer<AlignedMemory> back) {
        this.memory = memory;
        this.giveBack = CLEANER.register(this, () -> back.accept(memory));
    }

    /** Returns all memory to the one thread that fills it, before other threads see this object. */
    ByteBuffer fill() {
        return memory.buffer();
    }

    /**
     * Copies bytes to a buffer.
     *
     * @throws IllegalStateException when the memory is closed
     */
    synchronized void read(int from, ByteBuffer into) {
        if (!open) {
            throw new IllegalStateException("this copy of the model's state was closed");
        }
        try {
            into.put(memory.slice(from, into.remaining()));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Returns the memory. A second call does nothing. */
    @Override
    public synchronized void close() {
        open = false;
        giveBack.clean();
    }
}
