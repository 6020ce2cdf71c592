package io.millrace.train.state;

import io.millrace.device.AlignedMemory;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * The native memory of one chunk. After the memory was filled, its address never leaves this class. Readers get copies
 * under the lock, so the memory can be closed safely while another thread reads. The garbage collector frees memory
 * that is not closed. Thread-safe.
 */
final class ChunkMemory implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();

    private final AlignedMemory memory;
    private final Cleaner.Cleanable giveBack;
    private boolean open = true;

    /**
     * Takes ownership of memory.
     *
     * @param back receives the memory when this object is closed or becomes unreachable, on any thread; it must not
     *     refer to this object
     */
    ChunkMemory(AlignedMemory memory, Consumer<AlignedMemory> back) {
        this.memory = memory;
        this.giveBack = CLEANER.register(this, () -> back.accept(memory));
    }

    /**
     * Returns the memory for filling. Only the thread that fills it may call this method, before other threads see this
     * object.
     */
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

    /** Passes the memory back. A second call does nothing. */
    @Override
    public synchronized void close() {
        open = false;
        giveBack.clean();
    }
}
