package io.millrace.device;

import io.millrace.batch.BlockSource;
import io.millrace.lifecycle.Handles;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Page-locked memory for arriving micro-batches. It is locked in large blocks when first needed, up to a limit, and
 * given out in parts without waste. A micro-batch that finds no room gets pageable memory, unless page-locked memory is
 * required; copies from pageable memory hold up the thread that enqueues them.
 *
 * <p>Buffers may outlive the run that opened the slab: after {@link #close} no parts are given out any more. When the
 * last part is given back, the memory is freed, and the device that locked it is closed. Thread-safe.
 */
public final class PinnedSlab implements BlockSource, AutoCloseable {
    /** The treatment of a buffer that finds no room. */
    public enum Need {
        /** The buffer is pageable; the first one is logged as a warning. */
        PREFERRED,
        /** Taking the buffer fails. */
        REQUIRED
    }

    /**
     * The memory in use.
     *
     * @param limitBytes the limit of the memory to lock
     * @param lockedBytes the memory that is locked
     * @param takenBytes the part of the locked memory that is given out
     * @param pageableBuffers the number of buffers that have found no room so far
     * @param pageableBytes the bytes of these buffers
     */
    public record Use(long limitBytes, long lockedBytes, long takenBytes, long pageableBuffers, long pageableBytes) {}

    /** The size of a block. Locking takes milliseconds, so a block is locked for many micro-batches at once. */
    static final int BLOCK_BYTES = 64 << 20;

    /** The alignment of parts: the best one for a device's copies, and a page. */
    private static final int GRAIN_BYTES = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(PinnedSlab.class);

    private record Block(AlignedMemory memory, FreeRanges free) {}

    private final Device device;
    private final long limitBytes;
    private final Need need;
    private final TreeMap<Long, Block> blocks = new TreeMap<>();
    private final Handles handles = new Handles();
    private long lockedBytes;
    private long takenBytes;
    private long pageableBuffers;
    private long pageableBytes;
    private boolean closed;

    /** The reason why no further block can be locked; null while one can. */
    private @Nullable DeviceException refusal;

    /**
     * Creates a slab, which locks nothing yet.
     *
     * @param device the device that locks the memory; the slab takes ownership of it
     * @param limitBytes the limit of the memory to lock, at least 0
     */
    public PinnedSlab(Device device, long limitBytes, Need need) {
        if (limitBytes < 0) {
            throw new IllegalArgumentException(
                    "page-locked memory: expected a limit of at least 0, found " + limitBytes);
        }
        this.device = handles.add(device);
        this.limitBytes = limitBytes;
        this.need = need;
    }

    /**
     * Takes a part.
     *
     * @throws DeviceException when there is no room and page-locked memory is required
     */
    @Override
    public synchronized long take(long bytes) {
        if (closed) {
            return NONE;
        }
        long rounded = rounded(bytes);
        for (Map.Entry<Long, Block> block : blocks.entrySet()) {
            long offset = block.getValue().free.take(rounded);
            if (offset != FreeRanges.NONE) {
                takenBytes += rounded;
                return block.getKey() + offset;
            }
        }
        Block more = refusal == null ? lock(rounded) : null;
        if (more == null) {
            return refuse(bytes);
        }
        takenBytes += rounded;
        return more.memory.address() + more.free.take(rounded);
    }

    private static long rounded(long bytes) {
        return (Math.max(1, bytes) + GRAIN_BYTES - 1) / GRAIN_BYTES * GRAIN_BYTES;
    }

    private @Nullable Block lock(long atLeast) {
        long room = (limitBytes - lockedBytes) / GRAIN_BYTES * GRAIN_BYTES;
        if (atLeast > room) {
            return null;
        }
        long bytes = Math.max(atLeast, Math.min(BLOCK_BYTES, room));
        try {
            AlignedMemory memory = handles.add(device.pageLocked(bytes, "micro-batches"));
            Block block = new Block(memory, new FreeRanges(bytes));
            blocks.put(memory.address(), block);
            lockedBytes += bytes;
            return block;
        } catch (DeviceBrokenException e) {
            throw e;
        } catch (DeviceException e) {
            refusal = e;
            return null;
        }
    }

    private long refuse(long bytes) {
        DeviceException cause = refusal;
        String why = "there is no page-locked memory for " + bytes + " bytes of a micro-batch: "
                + (cause == null
                        ? takenBytes + " of " + limitBytes + " bytes are taken, which is the limit"
                        : "after " + lockedBytes + " bytes no more could be locked (" + cause.getMessage() + ")");
        if (need == Need.REQUIRED) {
            throw new DeviceException(
                    why
                            + ". Raise the limit, also that of the system (ulimit -l), or let page-locked memory be preferred"
                            + " instead of required",
                    cause == null ? new IllegalStateException("no room") : cause);
        }
        if (pageableBuffers == 0) {
            LOG.warn("{}. Such buffers are pageable: copies from them are slower and hold up the training task", why);
        }
        pageableBuffers++;
        pageableBytes += bytes;
        return NONE;
    }

    @Override
    public synchronized void giveBack(long address, long bytes) {
        Map.Entry<Long, Block> block = blocks.floorEntry(address);
        if (block == null) {
            throw new IllegalStateException("address " + address + " is not page-locked memory of this slab");
        }
        block.getValue().free.giveBack(address - block.getKey(), rounded(bytes));
        takenBytes -= rounded(bytes);
        if (closed && takenBytes == 0) {
            free();
        }
    }

    /** Returns the memory in use now. */
    public synchronized Use use() {
        return new Use(limitBytes, lockedBytes, takenBytes, pageableBuffers, pageableBytes);
    }

    private void free() {
        blocks.clear();
        lockedBytes = 0;
        handles.close();
    }

    /** Stops giving out memory, and frees it when all parts are back. Closing again does nothing. */
    @Override
    public synchronized void close() {
        closed = true;
        if (takenBytes == 0) {
            free();
        }
    }
}
