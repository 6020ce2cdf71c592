package io.millrace.device;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * A block of native memory that starts at a multiple of 64 bytes and is zero at first.
 *
 * <p>The owner closes it when nothing uses its address or its buffers any more: reading a buffer of a closed block
 * reads freed memory. Not thread-safe.
 */
public final class AlignedMemory implements AutoCloseable {
    /** The length of a cache line, and of the widest vector registers. */
    public static final int ALIGNMENT = 64;

    private final long address;
    private final int bytes;
    private final Runnable free;
    private boolean open = true;

    private AlignedMemory(long address, int bytes, Runnable free) {
        this.address = address;
        this.bytes = bytes;
        this.free = free;
        MemoryUtil.setMemory(address, bytes, (byte) 0);
    }

    /**
     * Allocates a block; the caller closes it.
     *
     * @param what a name of the memory for error messages
     * @throws IllegalArgumentException when {@code bytes} is above 2 GiB, which buffers cannot address
     */
    public static AlignedMemory allocate(long bytes, String what) {
        int checked = requireOneBlock(bytes, what);
        long block = MemoryUtil.allocateMemory(bytes + ALIGNMENT);
        return new AlignedMemory((block + ALIGNMENT - 1) & -ALIGNMENT, checked, () -> MemoryUtil.freeMemory(block));
    }

    /** Takes ownership of memory that was allocated elsewhere, with the action that frees it. */
    static AlignedMemory of(long address, int bytes, Runnable free) {
        return new AlignedMemory(address, bytes, free);
    }

    /** Returns the size as a number that buffers can address. */
    static int requireOneBlock(long bytes, String what) {
        if (bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    what + " needs " + bytes + " bytes in one block; at most " + Integer.MAX_VALUE + " are possible");
        }
        return (int) bytes;
    }

    /** Returns the address of the first byte. */
    public long address() {
        checkOpen();
        return address;
    }

    /** Returns the requested number of bytes. */
    public int bytes() {
        return bytes;
    }

    /** Returns a part of the memory as a new buffer, in the machine's byte order. */
    public ByteBuffer slice(int offset, int length) {
        checkOpen();
        if (offset < 0 || length < 0 || offset > bytes - length) {
            throw new IndexOutOfBoundsException("bytes " + offset + " to " + ((long) offset + length) + " of " + bytes);
        }
        return MemoryUtil.directBuffer(address + offset, length).order(ByteOrder.nativeOrder());
    }

    /** Returns all of the memory as a buffer, in the machine's byte order. */
    public ByteBuffer buffer() {
        return slice(0, bytes);
    }

    private void checkOpen() {
        if (!open) {
            throw new IllegalStateException("the memory is closed");
        }
    }

    /** Frees the memory; closing again does nothing. */
    @Override
    public void close() {
        if (open) {
            open = false;
            free.run();
        }
    }
}
