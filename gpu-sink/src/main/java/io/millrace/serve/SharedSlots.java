package io.millrace.serve;

import io.millrace.device.SlotMemory;
import io.millrace.file.MemoryFiles;
import io.millrace.lifecycle.Handles;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.Objects;
import org.apache.arrow.memory.util.MemoryUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slots in a file that this process maps, each slot by itself, because a mapping of Java ends at 2 GiB.
 *
 * <p>Any thread may create and close it. After {@link #close} it has no addresses any more, but a thread that uses an
 * address at that time ends the JVM; therefore the thread that fills the batches closes it.
 */
public final class SharedSlots implements SlotMemory {
    private static final Logger LOG = LoggerFactory.getLogger(SharedSlots.class);

    private final Handles handles = new Handles();
    private final String what;
    private final FileChannel file;
    private final long slotBytes;
    private final long[] addresses;

    /** Volatile: the thread that fills batches may find the memory closed by another one. */
    private volatile boolean open = true;

    /**
     * Maps the slots, and takes ownership of the file, even if that fails.
     *
     * @param what the name of the memory in messages
     * @param file a file of at least {@code slots * slotBytes} bytes, open for reading and writing
     * @param slotBytes the size of a slot, a multiple of 4096 below 2 GiB
     * @throws MemoryRefusedException when the file cannot be mapped
     */
    SharedSlots(String what, FileChannel file, int slots, long slotBytes) throws MemoryRefusedException {
        this.what = what;
        this.file = handles.add(file);
        this.slotBytes = slotBytes;
        this.addresses = new long[slots];
        handles.closeOnFailure(() -> {
            for (int i = 0; i < slots; i++) {
                addresses[i] = map(i * slotBytes);
            }
            return this;
        });
    }

    /** Returns the number of bytes of these slots. */
    static long bytes(int slots, long slotBytes) {
        if (slots < 1
                || slotBytes < 1
                || slotBytes > SlotLayout.MOST_SLOT_BYTES
                || slotBytes % SlotLayout.SLOT_ALIGNMENT != 0) {
            throw new IllegalArgumentException(slots + " slots of " + slotBytes
                    + " bytes: expected at least 1 slot, and a multiple of " + SlotLayout.SLOT_ALIGNMENT
                    + " bytes, at most " + SlotLayout.MOST_SLOT_BYTES);
        }
        return slots * slotBytes;
    }

    private long map(long offset) throws MemoryRefusedException {
        try {
            MappedByteBuffer mapping = file.map(FileChannel.MapMode.READ_WRITE, offset, slotBytes);
            handles.add(() -> MemoryFiles.unmap(mapping));
            return MemoryUtil.getByteBufferAddress(mapping);
        } catch (IOException e) {
            throw new MemoryRefusedException("cannot map " + what + ": " + e.getMessage(), e);
        }
    }

    @Override
    public int slots() {
        return addresses.length;
    }

    @Override
    public long slotBytes() {
        return slotBytes;
    }

    @Override
    public long address(int slot) {
        if (!open) {
            throw new IllegalStateException(what + " is closed");
        }
        return addresses[Objects.checkIndex(slot, addresses.length)];
    }

    @Override
    public void requireWhole() throws IOException {
        long expected = addresses.length * slotBytes;
        long found;
        try {
            found = file.size();
        } catch (ClosedChannelException e) {
            if (!open) {
                throw e;
            }
            LOG.debug("an interrupt of this thread has closed {}; its mappings remain", what, e);
            return;
        }
        if (found < expected) {
            throw new IOException(
                    what + " was made shorter while it was used: expected " + expected + " bytes, found " + found);
        }
    }

    /** Unmaps the slots. */
    @Override
    public void close() {
        open = false;
        handles.close();
    }
}
