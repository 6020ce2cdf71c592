package io.millrace.train.state;

import io.millrace.device.AlignedMemory;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * The native memory of one chunk. Its address never leaves this class after it was filled: readers get copies under the
 * lock, so that closing while another thread reads is safe. Whoever forgets to close leaves that to the garbage
 * collector. Thread-safe.
 */
final class ChunkMemory implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();

    private final AlignedMemory memory;
    private final Cleaner.Cleanable giveBack;
    private boolean open = true;

    /**
     * Takes memory over.
     *
     * @param back takes it when it is closed or forgotten, on whatever thread; must not refer to this
     */
    ChunkMemory(AlignedMemory memory, Consumer<AlignedMemory> back) {
        this.memory = memory;
        this.giveBack = CLEANER.register(this, () -> back.accept(memory));
    }

    /** All of it, for the one thread that fills it before others know this. */
    ByteBuffer fill() {
        return memory.buffer();
    }

    /**
     * Copies bytes out.
     *
     * @throws IllegalStateException when it is closed
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

    /** Gives the memory back; closing again does nothing. */
    @Override
    public synchronized void close() {
        open = false;
        giveBack.clean();
    }
}
