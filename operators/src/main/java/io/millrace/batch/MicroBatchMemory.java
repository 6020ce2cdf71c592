package io.millrace.batch;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/**
 * Where this process keeps micro-batches: one allocator for all tasks, since Flink deserializes records without a task's
 * context.
 *
 * <p>Whoever takes a buffer gives it back: a packer when its operator closes, the receiver of a micro-batch when it has
 * used it. Between jobs {@link #allocatedBytes()} is therefore 0. The allocator is made at the first use, never closed,
 * and safe for several threads. It is the one place that decides what kind of memory receivers get.
 */
public final class MicroBatchMemory {
    private static final class Holder {
        static final BufferAllocator ROOT = new RootAllocator();
    }

    /** The process's allocator; not to be closed. */
    public static BufferAllocator allocator() {
        return Holder.ROOT;
    }

    /** Bytes that are taken and not yet given back, as rounded up by Arrow to powers of two. */
    public static long allocatedBytes() {
        return Holder.ROOT.getAllocatedMemory();
    }

    private MicroBatchMemory() {}
}
