package io.millrace.batch;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.rounding.SegmentRoundingPolicy;

/**
 * The allocators of this process for micro-batches. All tasks share them, because Flink deserializes records without a
 * task's context.
 *
 * <p>Each buffer has one owner, which frees it: a packer when its operator closes, or the receiver of a micro-batch
 * after use. Therefore {@link #allocatedBytes()} is 0 between jobs. The allocators are created at their first use,
 * never closed, and thread-safe. Arriving micro-batches use the memory of a {@link BlockSource} where one is
 * registered. Nothing else uses it, because such memory, for example the page-locked memory of a device, is scarce.
 */
public final class MicroBatchMemory {
    /** Arrow rounds up to powers of two by default, which would waste up to half of the page-locked memory. */
    private static final long ROUNDED_TO_BYTES = 1024;

    private static final SourcedMemory.Sources SOURCES = new SourcedMemory.Sources();

    private static final class Holder {
        static final BufferAllocator ROOT = new RootAllocator();
        static final BufferAllocator ARRIVING = new RootAllocator(RootAllocator.configBuilder()
                .allocationManagerFactory(SOURCES)
                .roundingPolicy(new SegmentRoundingPolicy(ROUNDED_TO_BYTES))
                .build());
    }

    /** Returns the allocator of the process for packed and stored rows. Callers must not close it. */
    public static BufferAllocator allocator() {
        return Holder.ROOT;
    }

    /** Returns the allocator of the process for rows that arrive and go on to a device. Callers must not close it. */
    public static BufferAllocator arriving() {
        return Holder.ARRIVING;
    }

    /** Registers a source. From now on, buffers for arriving rows come from this source while it has room. */
    public static void addSource(BlockSource source) {
        SOURCES.add(source);
    }

    /** Returns whether a source is registered, so that arriving rows should lie in memory of the source. */
    public static boolean hasSource() {
        return SOURCES.isPresent();
    }

    /** Removes a source. Buffers that are in use stay valid and return to their source later. */
    public static void removeSource(BlockSource source) {
        SOURCES.remove(source);
    }

    /**
     * Returns the number of bytes that are allocated and not yet freed, as rounded up by Arrow. Tests use this number
     * to find leaks.
     */
    public static long allocatedBytes() {
        return Holder.ROOT.getAllocatedMemory() + Holder.ARRIVING.getAllocatedMemory();
    }

    private MicroBatchMemory() {}
}
