package io.millrace.device;

import io.millrace.batch.BatchSpec;

/** The device that needs none: batches in the memory of this process. */
public final class HostDevice implements Device {
    @Override
    public String name() {
        return "host";
    }

    @Override
    public DeviceBatch allocate(BatchSpec spec, int capacity) {
        return new DeviceBatch(spec, capacity);
    }

    @Override
    public void close() {}
}
