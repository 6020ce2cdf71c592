package io.millrace.serve;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * A complete batch as its client reads it: the bytes of a buffer, some of which may be elsewhere. It is valid until its
 * batch is begun anew or closed; until then any thread may send it.
 */
public final class BufferContent {
    /**
     * Memory of this process that belongs to the content.
     *
     * @param start the place of the first byte in the content
     */
    record Part(long start, long address, long bytes) {}

    private final int buffer;
    private final long bytes;
    private final boolean inBuffer;
    private final List<Part> parts;

    /**
     * Creates a content.
     *
     * @param parts the memory, in order, with less than 64 bytes between two parts
     */
    BufferContent(int buffer, long bytes, boolean inBuffer, List<Part> parts) {
        this.buffer = buffer;
        this.bytes = bytes;
        this.inBuffer = inBuffer;
        this.parts = List.copyOf(parts);
    }

    /** Returns the number of the buffer. */
    public int buffer() {
        return buffer;
    }

    /** Returns the bytes in use of the buffer, which are the bytes of an inline message; below 2 GiB. */
    public long bytes() {
        return bytes;
    }

    /** Returns whether the buffer contains all bytes. If not, the batch has to be sent inline. */
    public boolean isInBuffer() {
        return inBuffer;
    }

    /** Sends all bytes, from memory outside the heap. The channel must be blocking. */
    public void sendTo(WritableByteChannel channel) throws IOException {
        long sent = 0;
        for (Part part : parts) {
            send(channel, ByteBuffer.allocate((int) (part.start() - sent)));
            send(channel, MemoryUtil.directBuffer(part.address(), (int) part.bytes()));
            sent = part.start() + part.bytes();
        }
    }

    private static void send(WritableByteChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
