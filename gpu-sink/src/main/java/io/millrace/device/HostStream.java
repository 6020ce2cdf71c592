package io.millrace.device;

import org.apache.arrow.memory.util.MemoryUtil;

/** A stream that does its work within the call that enqueues it, on the caller's thread. Stateless. */
final class HostStream implements DeviceStream {
    @Override
    public void copyIn(long source, DeviceMemory target, long offset, long bytes) {
        MemoryUtil.copyMemory(source, target.at(offset, bytes), bytes);
    }

    @Override
    public void copyWithin(DeviceMemory memory, long from, long to, long bytes) {
        DeviceStream.requireApart(from, to, bytes);
        MemoryUtil.copyMemory(memory.at(from, bytes), memory.at(to, bytes), bytes);
    }

    @Override
    public void copyOut(DeviceMemory source, long offset, long target, long bytes) {
        MemoryUtil.copyMemory(source.at(offset, bytes), target, bytes);
    }

    @Override
    public void record(DeviceEvent event) {
        HostEvent.of(event).pass();
    }

    @Override
    public void await(DeviceEvent event) {
        event.synchronize();
    }

    /** Does nothing: all work is done already. */
    @Override
    public void synchronize() {}

    /** Does nothing. */
    @Override
    public void close() {}
}
