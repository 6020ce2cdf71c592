package io.millrace.device.bench;

import io.millrace.batch.BlockSource;
import io.millrace.device.AlignedMemory;
import io.millrace.device.Device;
import io.millrace.device.DeviceEvent;
import io.millrace.device.PinnedSlab;
import io.millrace.device.PinnedSlab.Need;
import io.millrace.lifecycle.Handles;
import java.util.function.Supplier;

/**
 * The memory of micro-batches that are copied in turn. A block is used again only when its last copy is done, just as
 * arriving micro-batches use the memory that earlier micro-batches have released. Used by one thread at a time.
 */
final class SourceBlocks implements AutoCloseable {
    /**
     * The size of all blocks together in bytes, if the limits of their number allow it. It is larger than a CPU's
     * cache.
     */
    private static final int MOST_BYTES = 64 << 20;

    private static final int MOST_BLOCKS = 256;
    private static final int LEAST_BLOCKS = 4;

    private final Device device;
    private final long[] addresses;
    private final DeviceEvent[] copied;
    private final Handles handles = new Handles();
    private int next;

    /**
     * Allocates the memory.
     *
     * @param opening the supplier that opens the device a second time, for page-locked memory
     */
    SourceBlocks(Device device, Supplier<Device> opening, SourceMemory memory, int bytes) {
        int blocks = Math.max(LEAST_BLOCKS, Math.min(MOST_BLOCKS, MOST_BYTES / bytes));
        this.device = device;
        this.addresses = new long[blocks];
        this.copied = new DeviceEvent[blocks];
        handles.closeOnFailure(() -> {
            PinnedSlab slab = memory == SourceMemory.PINNED
                    ? handles.add(new PinnedSlab(opening.get(), (long) blocks * (bytes + 4096L), Need.REQUIRED))
                    : null;
            for (int i = 0; i < blocks; i++) {
                addresses[i] = slab == null ? pageable(bytes) : pinned(slab, bytes);
                copied[i] = handles.add(device.event());
            }
            handles.add(() -> device.copies().synchronize()); // closed first
            return this;
        });
    }

    private long pageable(int bytes) {
        return handles.add(AlignedMemory.allocate(bytes, "a micro-batch")).address();
    }

    private long pinned(PinnedSlab slab, int bytes) {
        long address = slab.take(bytes);
        if (address == BlockSource.NONE) {
            throw new IllegalStateException("page-locked memory that is required was refused without an error");
        }
        handles.add(() -> slab.giveBack(address, bytes));
        return address;
    }

    /** Waits until the last copy of the next block is done, and returns the block's address. */
    long take() {
        copied[next].synchronize();
        return addresses[next];
    }

    /** Records that the copy of the block taken last has been enqueued. */
    void enqueued() {
        device.copies().record(copied[next]);
        next = (next + 1) % addresses.length;
    }

    /** Waits for the copies. */
    @Override
    public void close() {
        handles.close();
    }
}
