package io.millrace.serve;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * A complete batch as its client reads it: the bytes of a slot, some of which may be elsewhere. It is valid until its
 * batch is begun anew or closed; until then any thread may send it.
 */
public final class SlotContent {
    /**
     * Memory of this process that belongs to the content.
     *
     * @param start the place of the first byte in the content
     */
    record Part(long start, long address, long bytes) {}

    private final int slot;
    private final long bytes;
    private final boolean inSlot;
    private final List<Part> parts;

    /**
     * Creates a content.
     *
     * @param parts the memory, in order, with less than 64 bytes between two parts
     */
    SlotContent(int slot, long bytes, boolean inSlot, List<Part> parts) {
        this.slot = slot;
        this.bytes = bytes;
        this.inSlot = inSlot;
        this.parts = List.copyOf(parts);
    }

    /** Returns the number of the slot. */
    public int slot() {
        return slot;
    }

    /** Returns the bytes in use of the slot, which are the bytes of an inline message; below 2 GiB. */
    public long bytes() {
        return bytes;
    }

    /** Returns whether the slot contains all bytes. If not, the batch has to be sent inline. */
    public boolean isInSlot() {
        return inSlot;
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
