package io.millrace.device;

import java.nio.ByteBuffer;
import org.apache.arrow.memory.util.MemoryUtil;

/** Memory of this process that serves as a device's memory. */
record HostMemory(AlignedMemory memory) implements DeviceMemory {
    @Override
    public long address() {
        return memory.address();
    }

    @Override
    public long bytes() {
        return memory.bytes();
    }

    @Override
    public ByteBuffer slice(long offset, int length) {
        at(offset, length);
        return memory.slice((int) offset, length);
    }

    @Override
    public void read(long offset, long target, long length) {
        MemoryUtil.copyMemory(at(offset, length), target, length);
    }

    @Override
    public void close() {
        memory.close();
    }
}
