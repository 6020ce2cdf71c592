package io.millrace.device;

import java.nio.ByteBuffer;

/** A block of a device's memory. Whoever allocated it closes it, once no work on the device uses it any more. */
public sealed interface DeviceMemory extends AutoCloseable permits CudaMemory, EngineMemory, HostMemory {
    /** Where it begins, as the device knows it; at a multiple of 64. */
    long address();

    /** How many bytes it has. */
    long bytes();

    /**
     * A part of it as a buffer, in the machine's byte order.
     *
     * @throws IllegalStateException when the processor cannot read it
     */
    ByteBuffer slice(long offset, int length);

    /** Copies a part into any memory of this process, and returns when that is done. What wrote it must be done already. */
    void read(long offset, long target, long length);

    /** Where a part begins. */
    default long at(long offset, long length) {
        if (offset < 0 || length < 0 || offset > bytes() - length) {
            throw new IndexOutOfBoundsException("bytes " + offset + " to " + (offset + length) + " of " + bytes());
        }
        return address() + offset;
    }

    /** Frees it; closing again does nothing. */
    @Override
    void close();
}
