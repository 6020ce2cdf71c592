package io.millrace.device;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * A part of a slot, which holds the rows of one column. Its address is valid until the slots are closed; the part itself
 * owns nothing.
 */
record SlotPart(SlotMemory slots, int slot, long offset, long bytes) implements DeviceMemory {
    /** Checks that the part lies within the slot. */
    SlotPart {
        if (offset < 0 || offset % AlignedMemory.ALIGNMENT != 0 || bytes < 0 || offset > slots.slotBytes() - bytes) {
            throw new IllegalArgumentException(bytes + " bytes at offset " + offset + " of a slot of "
                    + slots.slotBytes() + " bytes: expected a multiple of " + AlignedMemory.ALIGNMENT
                    + " within the slot");
        }
    }

    @Override
    public long address() {
        return slots.address(slot) + offset;
    }

    @Override
    public ByteBuffer slice(long from, int length) {
        return MemoryUtil.directBuffer(at(from, length), length).order(ByteOrder.nativeOrder());
    }

    @Override
    public void read(long from, long target, long length) {
        MemoryUtil.copyMemory(at(from, length), target, length);
    }

    /** Does nothing: the memory of the slots is freed as a whole. */
    @Override
    public void close() {}
}
