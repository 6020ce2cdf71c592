package io.millrace.serve;

import io.millrace.device.AlignedMemory;
import io.millrace.device.BufferMemory;
import io.millrace.lifecycle.Handles;
import java.util.ArrayList;
import java.util.List;

/** Buffers in memory of this process, for a client that receives its batches inline. */
public final class OwnBuffers implements BufferMemory {
    private final Handles handles = new Handles();
    private final List<AlignedMemory> buffers = new ArrayList<>();
    private final long bufferBytes;

    /**
     * Allocates the buffers.
     *
     * @param bufferBytes the size of a buffer; {@link BufferLayout#fixedBytes} is enough
     * @throws IllegalArgumentException when a buffer has 2 GiB or more
     */
    public OwnBuffers(int buffers, long bufferBytes) {
        this.bufferBytes = bufferBytes;
        for (int i = 0; i < buffers; i++) {
            this.buffers.add(handles.closeOnFailure(
                    () -> handles.add(AlignedMemory.allocate(bufferBytes, "a buffer for a batch"))));
        }
    }

    @Override
    public int buffers() {
        return buffers.size();
    }

    @Override
    public long bufferBytes() {
        return bufferBytes;
    }

    @Override
    public long address(int buffer) {
        return buffers.get(buffer).address();
    }

    @Override
    public void close() {
        handles.close();
    }
}
