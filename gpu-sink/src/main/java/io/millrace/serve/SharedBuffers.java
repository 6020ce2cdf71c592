package io.millrace.serve;

import io.millrace.device.BufferMemory;
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
 * Buffers in a file that this process maps, each buffer by itself, because a mapping of Java ends at 2 GiB.
 *
 * <p>Any thread may create and close it. After {@link #close} it has no addresses any more, but a thread that uses an
 * address at that time ends the JVM; therefore the thread that fills the batches closes it.
 */
public final class SharedBuffers implements BufferMemory {
    private static final Logger LOG = LoggerFactory.getLogger(SharedBuffers.class);

    private final Handles handles = new Handles();
    private final String what;
    private final FileChannel file;
    private final long bufferBytes;
    private final long[] addresses;

    /** Volatile: the thread that fills batches may find the memory closed by another one. */
    private volatile boolean open = true;

    /**
     * Maps the buffers, and takes ownership of the file, even if that fails.
     *
     * @param what the name of the memory in messages
     * @param file a file of at least {@code buffers * bufferBytes} bytes, open for reading and writing
     * @param bufferBytes the size of a buffer, a multiple of 4096 below 2 GiB
     * @throws MemoryRefusedException when the file cannot be mapped
     */
    SharedBuffers(String what, FileChannel file, int buffers, long bufferBytes) throws MemoryRefusedException {
        this.what = what;
        this.file = handles.add(file);
        this.bufferBytes = bufferBytes;
        this.addresses = new long[buffers];
        handles.closeOnFailure(() -> {
            for (int i = 0; i < buffers; i++) {
                addresses[i] = map(i * bufferBytes);
            }
            return this;
        });
    }

    /** Returns the number of bytes of these buffers. */
    static long bytes(int buffers, long bufferBytes) {
        if (buffers < 1
                || bufferBytes < 1
                || bufferBytes > BufferLayout.MOST_BUFFER_BYTES
                || bufferBytes % BufferLayout.BUFFER_ALIGNMENT != 0) {
            throw new IllegalArgumentException(buffers + " buffers of " + bufferBytes
                    + " bytes: expected at least 1 buffer, and a multiple of " + BufferLayout.BUFFER_ALIGNMENT
                    + " bytes, at most " + BufferLayout.MOST_BUFFER_BYTES);
        }
        return buffers * bufferBytes;
    }

    private long map(long offset) throws MemoryRefusedException {
        try {
            MappedByteBuffer mapping = file.map(FileChannel.MapMode.READ_WRITE, offset, bufferBytes);
            handles.add(() -> MemoryFiles.unmap(mapping));
            return MemoryUtil.getByteBufferAddress(mapping);
        } catch (IOException e) {
            throw new MemoryRefusedException("cannot map " + what + ": " + e.getMessage(), e);
        }
    }

    @Override
    public int buffers() {
        return addresses.length;
    }

    @Override
    public long bufferBytes() {
        return bufferBytes;
    }

    @Override
    public long address(int buffer) {
        if (!open) {
            throw new IllegalStateException(what + " is closed");
        }
        return addresses[Objects.checkIndex(buffer, addresses.length)];
    }

    @Override
    public void requireWhole() throws IOException {
        long expected = addresses.length * bufferBytes;
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

    /** Unmaps the buffers. */
    @Override
    public void close() {
        open = false;
        handles.close();
    }
}
