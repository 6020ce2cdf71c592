package io.millrace.batch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.unsafe.UnsafeAllocationManager;

/** An Arrow buffer in a block of a {@link BlockSource}. Closing the last reference returns the block to its source. */
final class SourcedMemory extends AllocationManager {
    private final BlockSource source;
    private final long address;
    private final long bytes;

    private SourcedMemory(BufferAllocator accounting, BlockSource source, long address, long bytes) {
        super(accounting);
        this.source = source;
        this.address = address;
        this.bytes = bytes;
    }

    @Override
    public long getSize() {
        return bytes;
    }

    @Override
    protected long memoryAddress() {
        return address;
    }

    @Override
    protected void release0() {
        source.giveBack(address, bytes);
    }

    /**
     * A factory that allocates buffers from the first source with room, otherwise from the plain memory of the process.
     * Thread-safe.
     */
    static final class Sources implements Factory {
        private final List<BlockSource> sources = new CopyOnWriteArrayList<>();

        void add(BlockSource source) {
            sources.add(source);
        }

        boolean isPresent() {
            return !sources.isEmpty();
        }

        void remove(BlockSource source) {
            sources.remove(source);
        }

        @Override
        public AllocationManager create(BufferAllocator accounting, long bytes) {
            for (BlockSource source : sources) {
                long address = source.take(bytes);
                if (address != BlockSource.NONE) {
                    return new SourcedMemory(accounting, source, address, bytes);
                }
            }
            return UnsafeAllocationManager.FACTORY.create(accounting, bytes);
        }

        @Override
        public ArrowBuf empty() {
            return UnsafeAllocationManager.FACTORY.empty();
        }
    }
}
