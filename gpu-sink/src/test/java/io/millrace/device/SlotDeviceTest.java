package io.millrace.device;

import java.util.List;

class SlotDeviceTest extends DeviceContract {
    /** One slot in memory of this process. */
    private record OneSlot(AlignedMemory memory) implements SlotMemory {
        @Override
        public int slots() {
            return 1;
        }

        @Override
        public long slotBytes() {
            return memory.bytes();
        }

        @Override
        public long address(int slot) {
            return memory.address();
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    @Override
    Device open() {
        return new SlotDevice(new OneSlot(AlignedMemory.allocate(4096, "a slot")), List.of());
    }

    /** Does nothing: the test closes the memory that it allocated, and the host has nothing else. */
    @Override
    void assertNothingLeft() {}
}
