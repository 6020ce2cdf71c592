package io.millrace.device;

import java.util.List;

class BufferDeviceTest extends DeviceContract {
    /** One buffer in memory of this process. */
    private record OneBuffer(AlignedMemory memory) implements BufferMemory {
        @Override
        public int buffers() {
            return 1;
        }

        @Override
        public long bufferBytes() {
            return memory.bytes();
        }

        @Override
        public long address(int buffer) {
            return memory.address();
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    @Override
    Device open() {
        return new BufferDevice(new OneBuffer(AlignedMemory.allocate(4096, "a buffer")), List.of());
    }

    /** Does nothing: the test closes the memory that it allocated, and the host has nothing else. */
    @Override
    void assertNothingLeft() {}
}
