package io.millrace.device;

import java.nio.ByteBuffer;

/** A block of a device's memory. Its owner closes it when no work on the device uses it any more. */
public sealed interface DeviceMemory extends AutoCloseable permits CudaMemory, EngineMemory, HostMemory, BufferPart {
    /** Returns the address of the first byte for the device, a multiple of 64. */
    long address();

    /** Returns the size in bytes. */
    long bytes();

    /**
     * Returns a part of the memory as a buffer, in the machine's byte order.
     *
     * @throws IllegalStateException when the CPU cannot read the memory
     */
    ByteBuffer slice(long offset, int length);

    /**
     * Copies a part to memory of this process, and returns when that is done. The work that wrote the part must be
     * done.
     */
    void read(long offset, long target, long length);

    /** Returns the address of a part. */
    default long at(long offset, long length) {
        if (offset < 0 || length < 0 || offset > bytes() - length) {
            throw new IndexOutOfBoundsException("bytes " + offset + " to " + (offset + length) + " of " + bytes());
        }
        return address() + offset;
    }

    /** Frees the memory; closing again does nothing. */
    @Override
    void close();
}
