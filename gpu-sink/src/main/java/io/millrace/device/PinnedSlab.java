package io.millrace.device;

import io.millrace.batch.BlockSource;
import io.millrace.lifecycle.Handles;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Page-locked memory for micro-batches that arrive: locked in large blocks when first needed, up to a limit, and given out
 * in parts without waste. What finds no room gets pageable memory, from which copies hold up the thread that asks for
 * them, unless page-locked memory is required.
 *
 * <p>Buffers may outlive the run that opened this: after {@link #close} nothing is given out any more, and when the last
 * part is back the memory is freed, and the device that locked it is closed. Thread-safe.
 */
public final class PinnedSlab implements BlockSource, AutoCloseable {
    /** What becomes of a buffer that finds no room. */
    public enum Need {
        /** It is pageable, with a warning the first time. */
        PREFERRED,
        /** Taking it fails. */
        REQUIRED
    }

    /**
     * How much is in use.
     *
     * @param limitBytes the most that may be locked
     * @param lockedBytes what is locked
     * @param takenBytes of it, what is given out
     * @param pageableBuffers how many buffers found no room so far
     * @param pageableBytes and their bytes
     */
    public record Use(long limitBytes, long lockedBytes, long takenBytes, long pageableBuffers, long pageableBytes) {}

    /** Locking takes milliseconds, so it is done for many micro-batches of 4 MB at once. */
    static final int BLOCK_BYTES = 64 << 20;

    /** Parts begin at multiples of this: what a device copies best, and a page. */
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

    /** Why no further block can be locked; null while one can. */
    private @Nullable DeviceException refusal;

    /**
     * Locks nothing yet.
     *
     * @param device locks; takes ownership
     * @param limitBytes the most that is locked, at least 0
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

    /** How much is in use now. */
    public synchronized Use use() {
        return new Use(limitBytes, lockedBytes, takenBytes, pageableBuffers, pageableBytes);
    }

    private void free() {
        blocks.clear();
        lockedBytes = 0;
        handles.close();
    }

    /** Gives out nothing any more, and frees the memory when all of it is back. Closing again does nothing. */
    @Override
    public synchronized void close() {
        closed = true;
        if (takenBytes == 0) {
            free();
        }
    }
}
