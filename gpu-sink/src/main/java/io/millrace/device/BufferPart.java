package io.millrace.device;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * A part of a buffer, which holds the rows of one column. Its address is valid until the buffers are closed; the part itself
 * owns nothing.
 */
record BufferPart(BufferMemory buffers, int buffer, long offset, long bytes) implements DeviceMemory {
    /** Checks that the part lies within the buffer. */
    BufferPart {
        if (offset < 0
                || offset % AlignedMemory.ALIGNMENT != 0
                || bytes < 0
                || offset > buffers.bufferBytes() - bytes) {
            throw new IllegalArgumentException(bytes + " bytes at offset " + offset + " of a buffer of "
                    + buffers.bufferBytes() + " bytes: expected a multiple of " + AlignedMemory.ALIGNMENT
                    + " within the buffer");
        }
    }

    @Override
    public long address() {
        return buffers.address(buffer) + offset;
    }

    @Override
    public ByteBuffer slice(long from, int length) {
        return MemoryUtil.directBuffer(at(from, length), length).order(ByteOrder.nativeOrder());
    }

    @Override
    public void read(long from, long target, long length) {
        MemoryUtil.copyMemory(at(from, length), target, length);
    }

    /** Does nothing: the memory of the buffers is freed as a whole. */
    @Override
    public void close() {}
}
