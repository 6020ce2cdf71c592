package io.millrace.batch;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.rounding.SegmentRoundingPolicy;

/**
 * Where this process keeps micro-batches: one allocator for all tasks, since Flink deserializes records without a task's
 * context.
 *
 * <p>Whoever takes a buffer gives it back: a packer when its operator closes, the receiver of a micro-batch when it has
 * used it. Between jobs {@link #allocatedBytes()} is therefore 0. The allocator is made at the first use, never closed,
 * and safe for several threads. It is the one place that decides what kind of memory receivers get:
 * that of a {@link BlockSource} where one serves, as the page-locked memory of a device.
 */
public final class MicroBatchMemory {
    /** Arrow's default rounds up to powers of two, which would waste up to half of what may be page-locked. */
    private static final int ROUNDED_TO_BYTES = 1024;

    private static final SourcedMemory.Sources SOURCES = new SourcedMemory.Sources();

    private static final class Holder {
        static final BufferAllocator ROOT = new RootAllocator(RootAllocator.configBuilder()
                .allocationManagerFactory(SOURCES)
                .roundingPolicy(new SegmentRoundingPolicy(ROUNDED_TO_BYTES))
                .build());
    }

    /** The process's allocator; not to be closed. */
    public static BufferAllocator allocator() {
        return Holder.ROOT;
    }

    /** Buffers that are asked for from now on are the source's where it has room. */
    public static void serveFrom(BlockSource source) {
        SOURCES.add(source);
    }

    /** Undoes {@link #serveFrom}; buffers that are out stay, and go back to their source. */
    public static void serveNoMoreFrom(BlockSource source) {
        SOURCES.remove(source);
    }

    /** Bytes that are taken and not yet given back, as rounded up to 1 KB for each buffer. */
    public static long allocatedBytes() {
        return Holder.ROOT.getAllocatedMemory();
    }

    private MicroBatchMemory() {}
}
