package io.millrace.device;

import io.millrace.batch.BatchSpec;

/** The device that needs none: batches in the memory of this process, outside the Java heap. Stateless. */
public final class HostDevice implements Device {
    @Override
    public String name() {
        return "host";
    }

    @Override
    public DeviceBatch allocate(BatchSpec spec, int capacity) {
        return new DeviceBatch(spec, capacity);
    }

    /** Does nothing: the batches own their memory. */
    @Override
    public void close() {}
}
