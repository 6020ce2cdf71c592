package io.millrace.device;

import java.io.IOException;

/**
 * Memory for batches that are delivered to a client: buffers of one size, each for one batch. The client's process may map
 * the same memory.
 *
 * <p>Its owner closes it when no thread uses an address of a buffer any more: writing to closed memory ends the JVM. A
 * client's memory can get lost while it is used, if the client makes its file shorter. Then access by Java code makes the
 * JVM throw {@link InternalError}, but a write within a native library would end the JVM. Therefore only {@code
 * Unsafe}, as through Arrow's {@code MemoryUtil}, writes to a buffer.
 */
public interface BufferMemory extends AutoCloseable {
    /** Returns the number of buffers. */
    int buffers();

    /** Returns the size of a buffer in bytes, below 2 GiB. */
    long bufferBytes();

    /**
     * Returns the address of the first byte of a buffer, a multiple of 64.
     *
     * @throws IllegalStateException when the memory is closed
     */
    long address(int buffer);

    /**
     * Throws when the client has made the memory shorter. To be called after batches were filled or sent, also when that has
     * failed: the JVM throws {@link InternalError} some time after the access, also within a library that wraps it.
     *
     * @throws IOException when a part of the memory is lost
     */
    default void requireWhole() throws IOException {}

    /** Unmaps or frees the memory; closing again does nothing. */
    @Override
    void close();
}
