package io.millrace.batch;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.rounding.SegmentRoundingPolicy;

/**
 * Where this process keeps micro-batches: allocators for all tasks, since Flink deserializes records without a task's
 * context.
 *
 * <p>Whoever takes a buffer gives it back: a packer when its operator closes, the receiver of a micro-batch when it has
 * used it. Between jobs {@link #allocatedBytes()} is therefore 0. The allocators are made at the first use, never closed,
 * and safe for several threads. What arrives gets memory of a {@link BlockSource} where one serves, as the page-locked
 * memory of a device, which is scarce: so nothing else does.
 */
public final class MicroBatchMemory {
    /** Arrow's default rounds up to powers of two, which would waste up to half of what may be page-locked. */
    private static final long ROUNDED_TO_BYTES = 1024;

    private static final SourcedMemory.Sources SOURCES = new SourcedMemory.Sources();

    private static final class Holder {
        static final BufferAllocator ROOT = new RootAllocator();
        static final BufferAllocator ARRIVING = new RootAllocator(RootAllocator.configBuilder()
                .allocationManagerFactory(SOURCES)
                .roundingPolicy(new SegmentRoundingPolicy(ROUNDED_TO_BYTES))
                .build());
    }

    /** The process's allocator for what is packed and stored; not to be closed. */
    public static BufferAllocator allocator() {
        return Holder.ROOT;
    }

    /** The process's allocator for what arrives and goes on to a device; not to be closed. */
    public static BufferAllocator arriving() {
        return Holder.ARRIVING;
    }

    /** Buffers for what arrives from now on are the source's where it has room. */
    public static void serveFrom(BlockSource source) {
        SOURCES.add(source);
    }

    /** Undoes {@link #serveFrom}; buffers that are out stay, and go back to their source. */
    public static void serveNoMoreFrom(BlockSource source) {
        SOURCES.remove(source);
    }

    /** Bytes that are taken and not yet given back, as rounded up by Arrow. */
    public static long allocatedBytes() {
        return Holder.ROOT.getAllocatedMemory() + Holder.ARRIVING.getAllocatedMemory();
    }

    private MicroBatchMemory() {}
}
