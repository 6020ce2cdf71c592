package io.millrace.serve;

import io.millrace.device.AlignedMemory;
import io.millrace.device.SlotMemory;
import io.millrace.lifecycle.Handles;
import java.util.ArrayList;
import java.util.List;

/** Slots in memory of this process, for a client that receives its batches inline. */
public final class OwnSlots implements SlotMemory {
    private final Handles handles = new Handles();
    private final List<AlignedMemory> slots = new ArrayList<>();
    private final long slotBytes;

    /**
     * Allocates the slots.
     *
     * @param slotBytes the size of a slot; {@link SlotLayout#fixedBytes} is enough
     * @throws IllegalArgumentException when a slot has 2 GiB or more
     */
    public OwnSlots(int slots, long slotBytes) {
        this.slotBytes = slotBytes;
        for (int i = 0; i < slots; i++) {
            this.slots.add(
                    handles.closeOnFailure(() -> handles.add(AlignedMemory.allocate(slotBytes, "a slot for a batch"))));
        }
    }

    @Override
    public int slots() {
        return slots.size();
    }

    @Override
    public long slotBytes() {
        return slotBytes;
    }

    @Override
    public long address(int slot) {
        return slots.get(slot).address();
    }

    @Override
    public void close() {
        handles.close();
    }
}
