package io.millrace.device;

import io.millrace.batch.BatchSpec;

/** Memory for batches, on the machine that trains. Opened once per training task; its owner closes it. */
public sealed interface Device extends AutoCloseable permits HostDevice {
    /** {@code host} or {@code cuda}. */
    String name();

    /** Allocates a batch of up to {@code capacity} rows; the caller closes it before the device. */
    DeviceBatch allocate(BatchSpec spec, int capacity);

    @Override
    void close();
}
